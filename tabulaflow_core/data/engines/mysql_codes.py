"""Error numbers of MariaDB and MySQL that need no driver to be told apart.

Sources: mariadb.com/kb/en/mariadb-error-codes, dev.mysql.com/doc/mysql-errors.
"""

from __future__ import annotations

from typing import Final

#: The statement could not be compiled: syntax, an unknown name, a wrong use.
INVALID: Final = frozenset(
    {1052, 1054, 1055, 1056, 1059, 1060, 1063, 1064, 1066, 1103, 1109, 1110, 1111, 1115, 1128, 1140, 1146, 1149}
    | {1166, 1191, 1210, 1221, 1222, 1235, 1239, 1241, 1247, 1248, 1250, 1267, 1270, 1271, 1273, 1305, 1318, 1327}
    | {1349, 1462, 1463, 1582, 1583, 1584, 1630, 3065, 3579, 3593, 4003, 4004, 4008, 4015, 4161}
)
