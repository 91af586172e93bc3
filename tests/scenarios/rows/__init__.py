"""The workloads that must be placed correctly, as a table: one Row each, with the states of two workers and
what must come of them. `stage` plays a row on a fleet, `page` makes docs/workloads.md of all of them."""
