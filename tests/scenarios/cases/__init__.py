"""All scenarios, by subject. Importing this package fills SCENARIOS in the order of the imports."""

from scenarios.cases import (
    protocol,
    jobs,
    claims,
    placement,
    access,
    faults,
    traps,
    load,
    examples,
)  # noqa: F401, I001
from scenarios.registry import SCENARIOS

__all__ = ["SCENARIOS"]
