"""What a role may do beyond reading tables, told when one connects. Layer three; it stops nothing."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tabulaflow_core.data.engines.mysql_schema import grant_notices
from tabulaflow_core.data.engines.postgres_schema import ROLE_CHECK
from tabulaflow_core.data.engines.postgres_schema import role_notices as postgres_notices

if TYPE_CHECKING:
    from tabulaflow_core.data.engines.generic.session import Session

_log = logging.getLogger(__name__)

_SAFER = "Queries are checked and run read-only, but a user that may only read tables is safer."
#: Engine -> a query whose one row tells the role and whether it is too powerful.
_POWER = {
    "mssql": "SELECT SUSER_SNAME(), CASE WHEN IS_SRVROLEMEMBER('sysadmin') = 1 OR IS_MEMBER('db_owner') = 1"
    " THEN 1 ELSE 0 END",
    "oracle": "SELECT USER, CASE WHEN EXISTS (SELECT 1 FROM session_roles WHERE role = 'DBA') THEN 1 ELSE 0 END"
    " FROM dual",
    "snowflake": "SELECT CURRENT_ROLE(), IFF(CURRENT_ROLE() IN ('ACCOUNTADMIN', 'SECURITYADMIN', 'SYSADMIN'), 1, 0)",
    "redshift": "SELECT usename, CASE WHEN usesuper THEN 1 ELSE 0 END FROM pg_user WHERE usename = current_user",
}


def role_notices(session: Session) -> tuple[str, ...]:
    """Sentences for a person; none where nothing is known or the engine does not tell."""
    engine = session.source.engine
    try:
        if engine == "postgresql":
            names = ("role", "is_super", "reads_files", "writes_files", "runs_programs")
            return postgres_notices(dict(zip(names, session.rows(ROLE_CHECK)[0], strict=True)))
        if engine == "mysql":
            return grant_notices([str(line) for (line,) in session.rows("SHOW GRANTS")], session.source.user or "root")
        if engine in _POWER and (rows := session.rows(_POWER[engine])) and int(rows[0][1]):
            return (f"The user or role {rows[0][0]!r} may do everything here. {_SAFER}",)
    except session.engine.dialect.loaded_dbapi.Error as error:
        if session.lost(error):
            raise
        # It may not look, which is no reason not to connect.
        _log.info("the role could not be looked at: %s", type(error).__name__)
        session.usable = False
    return ()
