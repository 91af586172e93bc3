"""Kueue's tests of its MultiKueue (ff69552e, v0.20-devel), and what shows the same of fedra in each mode.

The names are ours: I-... are integration tests (test/integration/multikueue), E-... end-to-end tests
(test/e2e/multikueue). Nothing is claimed that is not tested in that mode.
"""

from __future__ import annotations

from scenarios.conformance.end_to_end import END_TO_END
from scenarios.conformance.entry import Entry
from scenarios.conformance.jobs import DISPATCHERS, JOBS
from scenarios.conformance.kinds import OTHERS
from scenarios.conformance.workers import SETUP, WEBHOOKS

TABLE: dict[str, tuple[Entry, ...]] = {
    "Jobs": JOBS,
    "Dispatchers": DISPATCHERS,
    "Set-up": SETUP,
    "Devices, kinds, scheduling": OTHERS,
    "API server": WEBHOOKS,
    "End to end": END_TO_END,
}
