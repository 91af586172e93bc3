"""All rows, in the order of the page."""

from __future__ import annotations

from scenarios.rows import gke, kai, kubernetes, nvidia, traps
from scenarios.rows.row import Row

# Heading -> rows.
TABLE: dict[str, list[Row]] = {
    "Tutorials of Google Kubernetes Engine": list(gke.ROWS),
    "Demos of NVIDIA's DRA driver": list(nvidia.ROWS),
    "Examples of dra-example-driver and Kubernetes": list(kubernetes.ROWS),
    "Gangs of the KAI Scheduler": list(kai.ROWS),
    "Traps of the scheduler": list(traps.ROWS),
}
