"""What the objects of one case are called: several cases can live in one cluster."""

from __future__ import annotations

import dataclasses

from real.agreement.dice import Json

CASE_LABEL = "agreement.fedra.dev/case"


@dataclasses.dataclass(frozen=True)
class Names:
    """With an empty prefix the names are plain and node selectors may reach other cases' nodes."""

    prefix: str
    nodes: list[str]

    @staticmethod
    def make(prefix: str, nodes: int) -> Names:
        return Names(prefix, [f"{prefix}node-{i + 1}" for i in range(nodes)])

    @property
    def drivers(self) -> list[str]:
        return [f"{self.prefix}gpu.example.com", f"{self.prefix}nic.example.com"]

    @property
    def any_class(self) -> str:
        return f"{self.prefix}any"

    def device_class(self, driver: int) -> str:
        return f"{self.prefix}class-{driver}"

    def resource(self, driver: int) -> str:
        """An extended resource."""
        return f"{self.prefix}dev-{driver}.example.com/unit"

    def pool(self, number: int) -> str:
        return f"{self.prefix}pool-{number}"

    def slice(self, number: int) -> str:
        return f"{self.prefix}slice-{number:02}"

    def own_nodes(self) -> list[Json]:
        """Requirements that keep a node selector inside the case."""
        if not self.prefix:
            return []
        return [{"key": CASE_LABEL, "operator": "In", "values": [self.prefix.rstrip("-")]}]
