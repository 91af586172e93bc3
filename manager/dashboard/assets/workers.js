// One row per worker, in the order of the configuration.

import { command, h, since, table, word } from "./dom.js";

export const workers = {
  topics: ["workers", "jobs"],
  ask: (ask) => Promise.all([ask("workers")]),
  render: ([report]) => [
    h("h1", {}, "Workers"),
    report.workers.length === 0 ? h("p", {}, "No worker is known yet: add one under workers: in fedra.yaml.")
      : table(`${report.workers.length} workers`, [
        { title: "Worker" }, { title: "State" }, { title: "For" }, { title: "Kubernetes" }, { title: "DRA" },
        { title: "Jobs", number: true }, { title: "Devices" }, { title: "Note" },
      ], report.workers.map((worker) => [
        h("a", { href: `#/worker?${new URLSearchParams({ name: worker.name })}`, "data-key": `worker ${worker.name}` }, worker.name),
        word([worker.state, worker.removed && "removed", worker.cordon].filter(Boolean).join(", ")), since(worker.since),
        worker.kubernetesVersion || "-", worker.draVersion || "-",
        h("a", { href: `#/jobs?${new URLSearchParams({ worker: worker.name })}`, "data-key": `jobs ${worker.name}`,
          "aria-label": `${worker.jobs ?? ""} jobs on ${worker.name}`.trim() }, String(worker.jobs ?? "-")),
        h("a", { href: `#/devices?${new URLSearchParams({ worker: worker.name })}`, "data-key": `devices ${worker.name}`,
          "aria-label": `Devices of ${worker.name}` }, "Devices"),
        [worker.why, worker.note].filter(Boolean).join("; "),
      ])),
    command("fedra status workers"),
  ],
};
