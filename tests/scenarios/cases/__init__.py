"""All scenarios, by subject. Importing this package fills SCENARIOS in the order of the imports."""

from scenarios.cases import protocol  # noqa: F401
from scenarios.registry import SCENARIOS

__all__ = ["SCENARIOS"]
