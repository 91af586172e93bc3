"""A store as an older version of fedra left it: the schema of then, made by the migrations up to then, and the rows."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from packages.parts import ROOT

_MIGRATIONS = ROOT / "store/migrations"


def schema_of(store: Path) -> int:
    """Also of one that is open: by a reader's eyes."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as database:
        return int(database.execute("PRAGMA user_version").fetchone()[0])


def take_back(store: Path, schema: int) -> None:
    """No fedra runs. What newer schemas have added is lost, as it never was there; owner and mode stay."""
    status = store.stat()
    older = store.with_suffix(".older")
    with closing(sqlite3.connect(older, isolation_level=None)) as database:
        for migration in sorted(_MIGRATIONS.glob("*.sql"))[:schema]:
            database.executescript(migration.read_text())
        database.execute("ATTACH ? AS newer", (str(store),))
        identity = database.execute("PRAGMA newer.application_id").fetchone()[0]
        database.execute(f"PRAGMA application_id = {identity}")
        database.execute(f"PRAGMA user_version = {schema}")
        for table in _tables(database):
            _copy(database, table)
        rows = database.execute("SELECT count(*) FROM main.events").fetchone()[0]
        assert rows > 0, "a store without a history"
    for suffix in ("-wal", "-shm"):
        Path(f"{store}{suffix}").unlink(missing_ok=True)
    os.chown(older, status.st_uid, status.st_gid)
    older.chmod(status.st_mode & 0o777)
    older.rename(store)


def _tables(database: sqlite3.Connection) -> list[str]:
    found = database.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'").fetchall()
    return [name for (name,) in found if not name.startswith("sqlite_")]


def _copy(database: sqlite3.Connection, table: str) -> None:
    columns = ", ".join(
        name for (name,) in database.execute("SELECT name FROM pragma_table_info(?)", (table,))
    )
    # What a migration has put there is in the newer one, too.
    database.execute(f"DELETE FROM main.{table}")
    database.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}")
