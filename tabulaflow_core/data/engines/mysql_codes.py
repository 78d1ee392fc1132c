"""Error numbers of MariaDB and MySQL that need no driver to be told apart.

Sources: mariadb.com/kb/en/mariadb-error-codes, dev.mysql.com/doc/mysql-errors.
"""

from __future__ import annotations

from typing import Final

from tabulaflow_core.data.engines.mistakes import Mistake

#: What went wrong while connecting.
MISTAKES: Final[dict[int, Mistake]] = {
    **dict.fromkeys((1045, 1698, 1251, 2059), Mistake.PASSWORD),
    **dict.fromkeys((1040, 1203, 1226), Mistake.FULL),
    1049: Mistake.NO_DATABASE,
    1044: Mistake.DATABASE_DENIED,
    **dict.fromkeys((1129, 1130), Mistake.HOST_DENIED),
    1053: Mistake.STARTING,
    3159: Mistake.ENCRYPTION_NEEDED,
}

#: The statement could not be compiled: syntax, an unknown name, a wrong use.
INVALID: Final = frozenset(
    {1052, 1054, 1055, 1056, 1059, 1060, 1063, 1064, 1066, 1103, 1109, 1110, 1111, 1115, 1128, 1140, 1146, 1149}
    | {1166, 1191, 1210, 1221, 1222, 1235, 1239, 1241, 1247, 1248, 1250, 1267, 1270, 1271, 1273, 1305, 1318, 1327}
    | {1349, 1462, 1463, 1582, 1583, 1584, 1630, 3065, 3579, 3593, 4003, 4004, 4008, 4015, 4161}
)
