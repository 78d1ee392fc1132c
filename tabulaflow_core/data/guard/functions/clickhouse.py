"""Built-in functions of ClickHouse that only compute.

Source: the reference of regular, aggregate and window functions, lower case here. Left out: dictionaries, files, waits,
settings and macros of the server, and every table function that reads from outside.
"""

from __future__ import annotations

from tabulaflow_core.data.guard.names import names

SCALARS: tuple[str, ...] = names(
    """
    abs accuratecastornull acos acosh adddays addhours addminutes addmonths addquarters addseconds addweeks
    addyears age and any anyheavy anylast argmax argmin array arrayall arrayavg arraycompact arrayconcat
    arraycount arraycumsum arraydifference arraydistinct arrayelement arrayenumerate arrayenumerateuniq
    arrayexists arrayfill arrayfilter arrayfirst arrayfirstindex arrayflatten arrayintersect arrayjoin arraylast
    arraymap arraymax arraymin arraypopback arraypopfront arrayproduct arraypushback arraypushfront arrayreduce
    arrayresize arrayreverse arrayreversesort arrayslice arraysort arraystringconcat arraysum arrayuniq arrayzip
    ascii asin assumenotnull atan atan2 avg avgif avgornull avgweighted base64decode base64encode bitand bitcount
    bitnot bitor bitshiftleft bitshiftright bitxor cast cbrt ceil ceiling char_length character_length cityhash64
    coalesce concat concat_ws concatwithseparator corr cos cosh count countequal countif countsubstrings
    countsubstringscaseinsensitive covarpop covarsamp crc32 cume_dist current_date current_timestamp
    currentdatabase cutfragment cutquerystring cuttofirstsignificantsubdomain cutwww date date_add date_diff
    date_format date_sub date_trunc dateadd datediff datename datesub datetrunc day dayofmonth dayofweek dayofyear
    decodeurlcomponent degrees dense_rank divide domain domainwithoutwww e editdistance empty encodeurlcomponent
    endswith entropy equals exists exp exp10 exp2 exponentialmovingavg extract extractall extractallgroups
    extracturlparameter extracturlparameters farmhash64 first_value firstsignificantsubdomain floor format
    formatdatetime formatreadablequantity formatreadablesize formatreadabletimedelta formatrow fragment
    fromunixtimestamp fromunixtimestamp64micro fromunixtimestamp64milli gcd generateuuidv4 greater greaterorequals
    greatest grouparray grouparrayif grouparraysample groupbitand groupbitor groupbitxor grouping groupuniqarray
    halfmd5 has hasall hasany hassubstr hastoken hex histogram hour if ifnotfinite ifnull ignore ilike in initcap
    intdiv intdivorzero inttruncate ipv4numtostring ipv4stringtonum isfinite isinfinite isnan isnotnull isnull
    isnullable isvalidutf8 json_query json_value jsonextract jsonextractarrayraw jsonextractbool jsonextractfloat
    jsonextractint jsonextractkeys jsonextractkeysandvalues jsonextractraw jsonextractstring jsonextractuint
    jsonhas jsonlength jsontype kurtpop kurtsamp lag laginframe last_value lcase lcm lead leadinframe least left
    leftpad leftpadutf8 length lengthutf8 less lessorequals like linearregression log log10 log1p log2 lower
    lowerutf8 lpad ltrim map mapadd mapcontains mapfilter mapkeys mapvalues match max maxif md5 median medianexact
    min minif minus minute mod modulo modulo_or_zero month monthname multifuzzymatchany multiif multimatchany
    multiply multisearchany murmurhash3_64 negate ngramdistance ngramsearch not notempty notequals notin notlike
    now now64 nth_value ntile nullif nullin or parsedatetime parsedatetime64besteffort parsedatetimebesteffort
    parsedatetimebesteffortornull path pathfull percent_rank pi plus position positioncaseinsensitive positionutf8
    pow power protocol quantile quantiledeterministic quantileexact quantileexactweighted quantileif quantiles
    quantilesexact quantilestdigest quantiletdigest quantiletiming quarter querystring queryurl radians rand
    rand64 randcanonical range rank regexpextract regexpquotemeta repeat replace replaceall replaceone
    replaceregexpall replaceregexpone retention reverse reverseutf8 right rightpad round roundage roundbankers
    rounddown roundduration roundtoexp2 row_number rpad rtrim runningaccumulate runningdifference second
    sequencecount sequencematch sequencenextnode sha1 sha256 sha512 sigmoid sign simplelinearregression sin sinh
    siphash64 skewpop skewsamp soundex space splitbychar splitbynonalpha splitbyregexp splitbystring
    splitbywhitespace sqrt startswith stddev_pop stddev_samp stddevpop stddevpopif stddevsamp substr substring
    substringindex substringutf8 subtractdays subtracthours subtractminutes subtractmonths subtractquarters
    subtractseconds subtractweeks subtractyears sum sumif sumifornull sumkahan summap sumwithoverflow tan tanh
    tgamma time timediff timeslot timeslots timestamp timestamp_add timestamp_sub timezone timezoneof
    timezoneoffset tobool tocolumntypename todate todate32 todateornull todateorzero todatetime todatetime64
    todatetimeornull todatetimeorzero today todayofmonth todayofweek todayofyear todecimal128 todecimal256
    todecimal32 todecimal64 tofixedstring tofloat32 tofloat32ornull tofloat64 tofloat64ornull tofloat64orzero
    tohour toint128 toint16 toint256 toint32 toint32ornull toint64 toint64ornull toint64orzero toint8
    tointervalday tointervalhour tointervalminute tointervalmonth tointervalquarter tointervalsecond
    tointervalweek tointervalyear toipv4 toipv6 toisoweek toisoyear tolastdayofmonth tolastdayofweek
    tolowcardinality tominute tomonday tomonth tonullable topk topkweighted toquarter torelativedaynum
    torelativehournum torelativemonthnum torelativeweeknum torelativeyearnum tosecond tostartofday
    tostartoffifteenminutes tostartoffiveminutes tostartofhour tostartofinterval tostartofisoyear tostartofminute
    tostartofmonth tostartofquarter tostartofsecond tostartoftenminutes tostartofweek tostartofyear tostring
    totime totimezone totypename touint128 touint16 touint256 touint32 touint32ornull touint64 touint64ornull
    touint64orzero touint8 tounixtimestamp tounixtimestamp64milli touuid toweek toweekday toyear toyearweek
    toyyyymm toyyyymmdd toyyyymmddhhmmss transform translate translateutf8 trim trimboth trimleft trimright trunc
    truncate tuple tupleelement ucase unhex uniq uniqcombined uniqcombined64 uniqexact uniqhll12 uniqif
    uniqthetasketch unix_timestamp untuple upper upperutf8 uuidstringtonum var_pop var_samp varpop varsamp
    visitparamextractint visitparamextractstring week width_bucket windowfunnel xor xxhash64 year yearweek
    yesterday
    """
)
"""Functions and aggregates, sorted."""

TABLES: tuple[str, ...] = names(
    """
    generate_series generateseries numbers numbers_mt values zeros zeros_mt
    """
)
"""Functions that may stand in FROM, sorted."""
