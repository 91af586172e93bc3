"""Every row of docs/workloads.md: the job goes where its devices are, and the schedulers agree."""

from __future__ import annotations

from scenarios.registry import scenario
from scenarios.rows.row import Row
from scenarios.rows.stage import play
from scenarios.rows.table import TABLE
from scenarios.world import World


def _register(row: Row) -> None:
    def body(world: World) -> None:
        play(world, row)

    body.__doc__ = f"{row.title}."
    # With its DRA support on, Kueue 0.19.2 refuses most of these shapes before fedra sees the workload.
    scenario(row.name, kueue_dra=(False,), off_by_default=row.off_by_default)(body)


for _rows in TABLE.values():
    for _row in _rows:
        _register(_row)
