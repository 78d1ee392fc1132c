"""The expression classes that a reading query is made of; a class that is not here is refused.

Names, not classes, so that reading this table does not load the parser.
"""

from __future__ import annotations

from tabulaflow_core.data.guard.names import name_set

QUERY_ROOTS = frozenset({"Except", "Intersect", "Select", "Subquery", "Table", "Union", "Values"})

_CLAUSES = """
    Alias Aliases CTE ColumnConstraint ColumnDef Cube Distinct Except Fetch Filter From Group GroupingSets Having
    HavingMax DefaultColumnConstraint NotNullColumnConstraint PathColumnConstraint
    IgnoreNulls IndexTableHint Intersect Join Lateral Limit LimitOptions Offset Order Ordered Partition Connect
    Final PartitionBoundSpec PartitionRange Pivot PivotAlias PivotAny PreWhere Prior Qualify RespectNulls Rollup
    Select Star Subquery Table TableAlias TableSample Tuple Union Unnest UnpivotColumns Values Version Where
    Window WindowSpec With WithOperator WithinGroup
"""
_VALUES = """
    Array BitString Boolean ByteString CharacterSet Charset Column DataType DataTypeParam HexString Identifier
    Interval IntervalSpan Introducer Literal Map National Null ObjectIdentifier Paren PropertyEQ PseudoType
    RawString Slice Struct ToMap UnicodeString Var
"""
_OPERATORS = """
    Add Adjacent All And Any ArrayContainedBy ArrayContainsAll ArrayOverlaps AtTimeZone Between BitwiseAnd
    BitwiseLeftShift BitwiseNot BitwiseOr BitwiseRightShift BitwiseXor Bracket Case Cast Coalesce Collate DPipe
    Distance Div Dot EQ Escape Exists ExtendsLeft ExtendsRight GT GTE Glob ILike If In IntDiv Is JSON JSONArrayContains
    JSONBContains JSONBContainsAllTopKeys JSONBContainsAnyTopKeys JSONBContainsTopKey JSONBDeleteAtPath
    DateStrToDate TimeStrToTime JSONBExtract JSONBExtractScalar JSONExtract JSONExtractScalar JSONPath
    JSONPathFilter JSONPathKey JSONPathPart JSONPathRecursive JSONPathRoot JSONPathScript JSONPathSelector
    JSONPathSlice JSONPathSubscript JSONPathUnion JSONPathWildcard Kwarg LT LTE Lambda Like Match MatchAgainst
    MemberOf Mod Mul NEQ Neg Not NullSafeEQ NullSafeNEQ Operator Or Overlaps Pow RegexpILike RegexpLike
    SimilarTo Sub TryCast Variadic Xor
"""
_SYNTAX_FUNCTIONS = """
    Abs Anonymous AnonymousAggFunc ArrayAgg Chr Columns CombinedAggFunc CombinedParameterizedAgg Concat
    ConnectByRoot Convert CurrentCatalog CurrentDate CurrentDatetime CurrentRole CurrentSchema CurrentTime
    CurrentTimestamp CurrentUser Extract ForClause FormatJson GroupConcat HistoricalData JSONArrayAgg
    JSONColumnDef JSONExists JSONKeyValue JSONObject JSONQuery JSONSchema JSONTable JSONValue ListAgg Localtime
    Localtimestamp OnCondition OpenJSON Overlay ParameterizedAgg PositionalColumn Quantile QueryOption
    RecursiveWithSearch SafeCast SessionParameter SessionUser Soundex StrPosition StrToTime StringToArray
    Substring Systimestamp TSQLConvert Trim UtcDate UtcTime UtcTimestamp WithFill WithTableHint XMLElement
    XMLTable
"""

ALLOWED_NODES = name_set(f"{_CLAUSES} {_VALUES} {_OPERATORS} {_SYNTAX_FUNCTIONS}")

#: Marks for bound values, which only the product itself puts into a statement.
MARK_NODES = frozenset({"Parameter", "Placeholder"})

NODE_REASONS = {
    "Command": ("not_a_query", "This kind of statement is not allowed; only queries are."),
    "Delete": ("writes", "The statement deletes rows; only reading is allowed."),
    "Insert": ("writes", "The statement inserts rows; only reading is allowed."),
    "Update": ("writes", "The statement changes rows; only reading is allowed."),
    "Merge": ("writes", "The statement changes rows; only reading is allowed."),
    "Into": ("writes", "SELECT … INTO makes a table, a file or a variable; only reading is allowed."),
    "Lock": ("locks", "FOR UPDATE, FOR SHARE and their like take row locks; leave the clause out."),
    "Parameter": ("setting", "Variables (@name) may not be read or set."),
    "Placeholder": ("placeholder", "The statement holds a placeholder; write the value itself."),
    "NextValueFor": ("function", "NEXT VALUE FOR uses up a value of a sequence."),
    "PropertyEQ": ("setting", "Assignments (:=) are not allowed."),
    "Hint": ("construct", "Optimizer hints are not allowed."),
}
