"""Documents as known services and programs send them, each with the table that a person means by it."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pytest

from tests.data.files.conftest import Reader

CASES = [
    pytest.param(
        '[{"page":1,"pages":1,"per_page":"50","total":2},[{"indicator":{"id":"SP","value":"Pop"},"date":"2020","value":10,"decimal":0},{"indicator":{"id":"SP","value":"Pop"},"date":"2019","value":null,"decimal":0}]]',
        ["indicator.id", "indicator.value", "date", "value", "decimal"],
        [("SP", "Pop", "2020", 10, 0), ("SP", "Pop", "2019", None, 0)],
        id="worldbank",
    ),
    pytest.param(
        '{"meta":{"view":{"id":"x","name":"V","columns":[{"id":-1,"name":"sid","dataTypeName":"meta_data","fieldName":":sid"},{"id":2,"name":"City","dataTypeName":"text"},{"id":3,"name":"Fee","dataTypeName":"number"},{"id":4,"name":"Day","dataTypeName":"calendar_date"}]}},"data":[["row-1","Rome","12.5","2020-01-02T00:00:00"],["row-2","007","3",null]]}',
        ["sid", "City", "Fee", "Day"],
        [("row-1", "Rome", Decimal("12.5"), dt.datetime(2020, 1, 2, 0, 0)), ("row-2", "007", Decimal("3"), None)],
        id="socrata",
    ),
    pytest.param(
        '{"links":{"self":"u"},"data":[{"type":"articles","id":"1","attributes":{"title":"A","n":1},"relationships":{"author":{"data":{"type":"people","id":"9"}}}},{"type":"articles","id":"2","attributes":{"title":"B","n":2}}]}',
        ["type", "id", "title", "n", "relationships.author.data.type", "relationships.author.data.id"],
        [("articles", "1", "A", 1, "people", "9"), ("articles", "2", "B", 2, None, None)],
        id="jsonapi",
    ),
    pytest.param(
        '{"@odata.context":"c","value":[{"@odata.etag":"W","ID":1,"Name":"x"},{"@odata.etag":"V","ID":2,"Name":null}],"@odata.nextLink":"u"}',
        ["@odata.etag", "ID", "Name"],
        [("W", 1, "x"), ("V", 2, None)],
        id="odata",
    ),
    pytest.param(
        '{"d":{"results":[{"ID":1},{"ID":2}],"__count":"2"}}',
        ["ID"],
        [(1,), (2,)],
        id="odata v2",
    ),
    pytest.param(
        '{"took":3,"timed_out":false,"_shards":{"total":1},"hits":{"total":{"value":2,"relation":"eq"},"max_score":1.0,"hits":[{"_index":"i","_id":"a","_score":1.0,"_source":{"n":1,"u":{"x":"p"}}},{"_index":"i","_id":"b","_score":null,"_source":{"n":2}}]}}',
        ["_index", "_id", "_score", "n", "u.x"],
        [("i", "a", Decimal("1.0"), 1, "p"), ("i", "b", None, 2, None)],
        id="elastic",
    ),
    pytest.param(
        '{"type":"Feature","properties":{"n":"a"},"geometry":null}\n{"type":"Feature","properties":{"n":"b"},"geometry":null}\n',
        ["n", "geometry"],
        [("a", None), ("b", None)],
        id="geojson lines",
    ),
    pytest.param(
        '{"type":"Feature","properties":{"n":"a"},"geometry":{"type":"Point","coordinates":[1,2]}}',
        ["n", "geometry"],
        [("a", '{"type": "Point", "coordinates": [1, 2]}')],
        id="one feature",
    ),
    pytest.param(
        '{"objectIdFieldName":"OID","fields":[{"name":"OID","type":"esriFieldTypeOID"},{"name":"N","type":"esriFieldTypeString"}],"features":[{"attributes":{"OID":1,"N":"a"},"geometry":{"x":1.5,"y":2}},{"attributes":{"OID":2,"N":"b"},"geometry":{"x":3,"y":4}}]}',
        ["OID", "N", "geometry.x", "geometry.y"],
        [(1, "a", Decimal("1.5"), 2), (2, "b", Decimal("3"), 4)],
        id="esri",
    ),
    pytest.param(
        '{"0":{"a":1,"b":"x"},"1":{"a":2,"b":"y"}}',
        ["a", "b"],
        [(1, "x"), (2, "y")],
        id="pandas index plain",
    ),
    pytest.param(
        '{"r1":{"a":1,"b":"x"},"r2":{"a":2,"b":"y"}}',
        ["index", "a", "b"],
        [("r1", 1, "x"), ("r2", 2, "y")],
        id="pandas index",
    ),
    pytest.param(
        '{"a":{"r1":1,"r2":2},"b":{"r1":"x","r2":"y"}}',
        ["index", "a", "b"],
        [("r1", 1, "x"), ("r2", 2, "y")],
        id="pandas columns named",
    ),
    pytest.param(
        '{"categories":["Jan","Feb"],"series":[{"name":"Tokyo","data":[7,6.5]},{"name":"Rome","data":[1,null]}]}',
        ["category", "Tokyo", "Rome"],
        [("Jan", Decimal("7"), 1), ("Feb", Decimal("6.5"), None)],
        id="highcharts",
    ),
    pytest.param(
        '{"chart":{"type":"line"},"xAxis":{"categories":["Jan","Feb"]},"yAxis":{"title":{"text":"t"}},"series":[{"name":"Tokyo","data":[7,6]},{"name":"Rome","data":[1,2]}]}',
        ["category", "Tokyo", "Rome"],
        [("Jan", 7, 1), ("Feb", 6, 2)],
        id="highcharts axis",
    ),
    pytest.param(
        '{"type":"bar","data":{"labels":["Jan","Feb"],"datasets":[{"label":"A","data":[1,2],"borderWidth":1},{"label":"B","data":[3,4]}]}}',
        ["label", "A", "B"],
        [("Jan", 1, 3), ("Feb", 2, 4)],
        id="chartjs",
    ),
    pytest.param(
        '{"version":"2.0","class":"dataset","label":"L","id":["area","year"],"size":[2,2],"dimension":{"area":{"label":"Area","category":{"index":["A","B"],"label":{"A":"Alfa","B":"Beta"}}},"year":{"category":{"index":{"2019":0,"2020":1}}}},"value":[1,2,null,4]}',
        ["area", "area_label", "year", "value"],
        [("A", "Alfa", "2019", 1), ("A", "Alfa", "2020", 2), ("B", "Beta", "2019", None), ("B", "Beta", "2020", 4)],
        id="json-stat",
    ),
    pytest.param(
        '{"dataset":{"dimension":{"id":["y"],"size":[3],"y":{"category":{"index":{"a":0,"b":1,"c":2}}}},"value":{"0":1.5,"2":3}}}',
        ["y", "value"],
        [("a", Decimal("1.5")), ("c", Decimal("3"))],
        id="json-stat 1",
    ),
    pytest.param(
        '{"help":"h","success":true,"result":{"include_total":true,"resource_id":"r","fields":[{"type":"int","id":"_id"},{"type":"text","id":"n"},{"type":"numeric","id":"v"}],"records":[{"_id":1,"n":"a","v":"1.5"},{"_id":2,"n":"b","v":"2"}],"total":2}}',
        ["_id", "n", "v"],
        [(1, "a", Decimal("1.5")), (2, "b", Decimal("2"))],
        id="ckan",
    ),
    pytest.param(
        '{"cols":[{"id":"A","label":"Name","type":"string"},{"id":"B","label":"N","type":"number"},{"id":"C","label":"","type":"date"}],"rows":[{"c":[{"v":"x"},{"v":1.0,"f":"1"},{"v":"Date(2020,0,31)"}]},{"c":[{"v":"y"},null,{"v":null}]}]}',
        ["Name", "N", "C"],
        [("x", Decimal("1.0"), dt.date(2020, 1, 31)), ("y", None, None)],
        id="google charts",
    ),
    pytest.param(
        '/*O_o*/\ngoogle.visualization.Query.setResponse({"version":"0.6","status":"ok","table":{"cols":[{"id":"A","label":"Name","type":"string"}],"rows":[{"c":[{"v":"x"}]},{"c":[{"v":"y"}]}]}});',
        ["Name"],
        [("x",), ("y",)],
        id="gviz",
    ),
    pytest.param(
        'callback([{"a":1},{"a":2}]);',
        ["a"],
        [(1,), (2,)],
        id="jsonp",
    ),
    pytest.param(
        'var data = [{"a":1},{"a":2}];\n',
        ["a"],
        [(1,), (2,)],
        id="assigned",
    ),
    pytest.param(
        ')]}\',\n[{"a":1},{"a":2}]',
        ["a"],
        [(1,), (2,)],
        id="guarded",
    ),
    pytest.param(
        '{"kind":"bigquery#queryResponse","schema":{"fields":[{"name":"n","type":"STRING"},{"name":"v","type":"INTEGER"}]},"rows":[{"f":[{"v":"x"},{"v":"12"}]},{"f":[{"v":"y"},{"v":null}]}],"totalRows":"2"}',
        ["n", "v"],
        [("x", 12), ("y", None)],
        id="bigquery rest",
    ),
    pytest.param(
        '{"head":{"vars":["a","n"]},"results":{"bindings":[{"a":{"type":"uri","value":"http://x"},"n":{"type":"literal","datatype":"http://www.w3.org/2001/XMLSchema#integer","value":"5"}},{"a":{"type":"uri","value":"http://y"}}]}}',
        ["a", "n"],
        [("http://x", 5), ("http://y", None)],
        id="sparql",
    ),
    pytest.param(
        '{"columns":[{"code":"Region","text":"region","type":"d"},{"code":"Tid","text":"year","type":"t"},{"code":"BE","text":"Population","type":"c"}],"comments":[],"data":[{"key":["01","2020"],"values":["12"]},{"key":["02","2020"],"values":["13"]}]}',
        ["region", "year", "Population"],
        [("01", "2020", 12), ("02", "2020", 13)],
        id="pxweb",
    ),
    pytest.param(
        '{"resultSetMetaData":{"numRows":2,"rowType":[{"name":"A","type":"fixed"},{"name":"B","type":"text"}]},"data":[["1","x"],["2","y"]],"code":"0"}',
        ["A", "B"],
        [(1, "x"), (2, "y")],
        id="snowflake",
    ),
    pytest.param(
        '{"kind":"k","columnHeaders":[{"name":"ga:city","dataType":"STRING"},{"name":"ga:n","dataType":"INTEGER"}],"rows":[["Rome","5"],["Oslo","6"]]}',
        ["ga:city", "ga:n"],
        [("Rome", 5), ("Oslo", 6)],
        id="analytics",
    ),
    pytest.param(
        '{"results":[{"statement_id":0,"series":[{"name":"cpu","columns":["time","v"],"values":[["2020-01-01T00:00:00Z",1],["2020-01-01T00:01:00Z",2]]}]}]}',
        ["time", "v"],
        [(dt.datetime(2020, 1, 1, 0, 0, tzinfo=dt.UTC), 1), (dt.datetime(2020, 1, 1, 0, 1, tzinfo=dt.UTC), 2)],
        id="influx",
    ),
    pytest.param(
        '{"records":[{"id":"rec1","createdTime":"2020-01-01T00:00:00.000Z","fields":{"Name":"x","N":1}},{"id":"rec2","createdTime":"2020-01-02T00:00:00.000Z","fields":{"Name":"y"}}],"offset":"o"}',
        ["id", "createdTime", "Name", "N"],
        [
            ("rec1", dt.datetime(2020, 1, 1, 0, 0, tzinfo=dt.UTC), "x", 1),
            ("rec2", dt.datetime(2020, 1, 2, 0, 0, tzinfo=dt.UTC), "y", None),
        ],
        id="airtable",
    ),
    pytest.param(
        '{"data":{"users":{"totalCount":2,"edges":[{"cursor":"c1","node":{"id":"1","n":5}},{"cursor":"c2","node":{"id":"2","n":6}}],"pageInfo":{"hasNextPage":false}}}}',
        ["cursor", "id", "n"],
        [("c1", "1", 5), ("c2", "2", 6)],
        id="graphql",
    ),
    pytest.param(
        '{"Items":[{"Id":{"S":"007"},"N":{"N":"5"},"B":{"BOOL":true},"L":{"L":[{"N":"1"}]},"M":{"M":{"x":{"S":"p"}}}},{"Id":{"S":"8"},"N":{"NULL":true}}],"Count":2}',
        ["Id", "N", "B", "L", "M.x"],
        [("007", 5, True, "[1]", "p"), ("8", None, None, None, None)],
        id="dynamo",
    ),
    pytest.param(
        '{"_id":{"$oid":"5f0c"},"at":{"$date":"2020-01-01T10:00:00Z"},"n":{"$numberLong":"9007199254740993"},"d":{"$numberDecimal":"1.10"},"x":{"y":{"$numberInt":"5"}}}\n{"_id":{"$oid":"5f0d"},"at":{"$date":{"$numberLong":"1577872800500"}},"n":7,"d":{"$numberDecimal":"2.25"},"x":{"y":6}}\n',
        ["_id", "at", "n", "d", "x.y"],
        [
            ("5f0c", dt.datetime(2020, 1, 1, 10, 0, tzinfo=dt.UTC), 9007199254740993, Decimal("1.10"), 5),
            ("5f0d", dt.datetime(2020, 1, 1, 10, 0, 0, 500000, tzinfo=dt.UTC), 7, Decimal("2.25"), 6),
        ],
        id="mongo",
    ),
    pytest.param(
        '{"u1":{"n":"a","v":1},"u2":{"n":"b","v":2},"u3":{"n":"c"}}',
        ["index", "n", "v"],
        [("u1", "a", 1), ("u2", "b", 2), ("u3", "c", None)],
        id="keyed",
    ),
    pytest.param(
        '{"1001":{"n":"a","v":1},"1007":{"n":"b","v":2}}',
        ["index", "n", "v"],
        [(1001, "a", 1), (1007, "b", 2)],
        id="keyed numbers",
    ),
    pytest.param(
        '{"0010":{"n":"a","v":1},"0020":{"n":"b","v":2}}',
        ["index", "n", "v"],
        [("0010", "a", 1), ("0020", "b", 2)],
        id="keyed zeros",
    ),
    pytest.param(
        '{"Meta":{"a":"b"},"Series":{"2020-01-02":{"open":"1.5","n":"7"},"2020-01-01":{"open":"1.0","n":"8"}}}',
        ["index", "open", "n"],
        [(dt.date(2020, 1, 2), "1.5", "7"), (dt.date(2020, 1, 1), "1.0", "8")],
        id="alpha vantage",
    ),
    pytest.param(
        '\x1e{"a":1}\n\x1e{"a":2}\n',
        ["a"],
        [(1,), (2,)],
        id="rs",
    ),
    pytest.param(
        '\x1e{"a":1}\n\x1e{"a":2}\n',
        ["a"],
        [(1,), (2,)],
        id="rs json",
    ),
    pytest.param(
        '[[{"a":1},{"a":2}],[{"a":3}]]',
        ["a"],
        [(1,), (2,), (3,)],
        id="pages",
    ),
    pytest.param(
        '{"header":{"id":"h"},"dataSets":[{"action":"R","observations":{"0:0":[1.5,0],"1:0":[2.5,null]}}],"structure":{"name":"S","dimensions":{"observation":[{"id":"GEO","name":"Geo","values":[{"id":"DE","name":"Germany"},{"id":"FR","name":"France"}]},{"id":"TIME","name":"T","values":[{"id":"2020","name":"2020"}]}]},"attributes":{"observation":[]}}}',
        ["GEO", "GEO_label", "TIME", "value"],
        [("DE", "Germany", "2020", Decimal("1.5")), ("FR", "France", "2020", Decimal("2.5"))],
        id="sdmx",
    ),
    pytest.param(
        '{"dataSets":[{"series":{"0:0":{"attributes":[0],"observations":{"0":[1.5],"1":[2]}},"1:0":{"observations":{"1":[3]}}}}],"structure":{"dimensions":{"series":[{"id":"GEO","values":[{"id":"DE"},{"id":"FR"}]},{"id":"F","values":[{"id":"A"}]}],"observation":[{"id":"TIME_PERIOD","values":[{"id":"2019"},{"id":"2020"}]}]}}}',
        ["GEO", "F", "TIME_PERIOD", "value"],
        [("DE", "A", "2019", Decimal("1.5")), ("DE", "A", "2020", Decimal("2")), ("FR", "A", "2020", Decimal("3"))],
        id="sdmx series",
    ),
    pytest.param(
        '{"range":"S!A1:B3","majorDimension":"ROWS","values":[["n","v"],["a","1"],["b"]]}',
        ["n", "v"],
        [("a", "1"), ("b", None)],
        id="sheets",
    ),
    pytest.param(
        '{"dimensionHeaders":[{"name":"city"}],"metricHeaders":[{"name":"users","type":"TYPE_INTEGER"}],"rows":[{"dimensionValues":[{"value":"Rome"}],"metricValues":[{"value":"5"}]},{"dimensionValues":[{"value":"Oslo"}],"metricValues":[{"value":"6"}]}],"rowCount":2}',
        ["city", "users"],
        [("Rome", 5), ("Oslo", 6)],
        id="ga4",
    ),
    pytest.param(
        '{"ResultSet":{"Rows":[{"Data":[{"VarCharValue":"a"},{"VarCharValue":"b"}]},{"Data":[{"VarCharValue":"x"},{}]}],"ResultSetMetadata":{"ColumnInfo":[{"Name":"a","Type":"varchar"},{"Name":"b","Type":"integer"}]}}}',
        ["a", "b"],
        [("x", None)],
        id="athena",
    ),
]


@pytest.mark.parametrize(("content", "names", "rows"), CASES)
def test_layout(read: Reader, content: str, names: list[str], rows: list[tuple[object, ...]]) -> None:
    seen = read(content, "t.json")
    assert (seen.names, seen.rows) == (names, rows)


def test_what_tells_of_the_records_is_said(read: Reader) -> None:
    seen = read('[{"page": 1, "total": 2}, [{"a": 1}, {"a": 2}]]', "t.json")
    assert seen.rows == [(1,), (2,)]
    assert seen.told("element 1 (page 1, total 2)")
    seen = read('[[{"a": 1}], [{"a": 2}]]', "t.json")
    assert seen.told("2 lists")
    seen = read('{"fields": [{"id": "a", "type": "text"}], "records": [{"a": "1"}]}', "t.json")
    assert (seen.rows, seen.told("Left out", "fields (a list)")) == ([("1",)], True)


def test_texts_of_digits_are_numbers_only_where_the_document_says_so(read: Reader) -> None:
    assert read('{"columns": ["n"], "rows": [["1"], ["2"]]}', "t.json").rows == [("1",), ("2",)]
    told = '{"columns": [{"name": "n", "type": "DECIMAL(5,1)"}], "rows": [["1.5"], ["2.0"]]}'
    assert read(told, "t.json").rows == [(Decimal("1.5"),), (Decimal("2.0"),)]
    told = '{"columns": [{"name": "n", "type": "number"}], "rows": [["007"], ["2"]]}'
    assert read(told, "t.json").rows == [("007",), ("2",)]


def test_an_object_with_very_many_plain_values_is_a_list_of_pairs(read: Reader) -> None:
    seen = read(json.dumps({f"k{i}": i for i in range(300)}), "t.json")
    assert (seen.names, seen.rows[7], len(seen.rows)) == (["key", "value"], ("k7", 7), 300)
    assert seen.told("became rows")


def test_names_within_an_envelope_that_stand_outside_too_keep_their_path(read: Reader) -> None:
    seen = read('[{"id": 1, "type": "t", "attributes": {"id": 2, "n": 3}}]', "t.json")
    assert (seen.names, seen.rows) == (["id", "type", "attributes.id", "n"], [(1, "t", 2, 3)])
    seen = read('[{"id": 1, "attributes": {"n": 3}, "price": 4}]', "t.json")
    assert seen.names == ["id", "attributes.n", "price"], "with other keys beside it, it is no envelope"


@pytest.mark.parametrize(
    ("date", "value"),
    [
        ('"2020-01-01T00:00:00Z"', dt.datetime(2020, 1, 1, tzinfo=dt.UTC)),
        ("-1000", dt.datetime(1969, 12, 31, 23, 59, 59, tzinfo=dt.UTC)),
        ('{"$numberLong": "0"}', dt.datetime(1970, 1, 1, tzinfo=dt.UTC)),
        ("99999999999999999", 99999999999999999),
    ],
)
def test_dates_of_extended_json(read: Reader, date: str, value: object) -> None:
    assert read(f'{{"d": {{"$date": {date}}}}}\n{{"d": null}}\n', "t.json").rows == [(value,), (None,)]
