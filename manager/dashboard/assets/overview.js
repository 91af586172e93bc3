// What needs a person first, then how much there is of everything.

import { ifAllowed } from "./api.js";
import { command, h, since, table, word } from "./dom.js";

const link = (values) => `#/jobs?${new URLSearchParams(values)}`;

function blocked(reasons, states) {
  const count = states.groups.find((group) => group.name === "Blocked")?.jobs ?? 0;
  if (count === 0) return [h("h2", {}, "Blocked jobs"), h("p", {}, "No job is blocked.")];
  return [
    h("h2", {}, `Blocked jobs: ${count}`),
    table("By reason; a job with several is in each", [
      { title: "Reason" }, { title: "Jobs", number: true }, { title: "Longest" }, { title: "Job" }, { title: "What helps" },
    ], reasons.groups.map((group) => {
      const name = `${group.longest.namespace}/${group.longest.name}`;
      return [
        h("a", { href: link({ state: "Blocked", reason: group.name }), "data-key": `reason ${group.name}` }, group.name),
        String(group.jobs), since(group.longestSince),
        h("a", { href: `#/job?${new URLSearchParams({ job: name })}` }, name), group.remedy,
      ];
    })),
    command("fedra status jobs --state Blocked --group-by reason"),
  ];
}

function troubled(report) {
  if (report.refused) return [h("h2", {}, "Workers"), h("p", {}, `They are not shown: ${report.refused}.`)];
  const rows = report.workers.filter((worker) => worker.state !== "Connected" || worker.why || worker.note);
  if (report.workers.length === 0) {
    return [h("h2", {}, "Workers"), h("p", {}, "No worker is known yet: add one under workers: in fedra.yaml.")];
  }
  if (rows.length === 0) {
    return [h("h2", {}, "Workers"), h("p", {}, `All ${report.workers.length} workers are connected.`)];
  }
  return [
    h("h2", {}, "Workers that need attention"),
    table(`${rows.length} of ${report.workers.length}`,
      [{ title: "Worker" }, { title: "State" }, { title: "For" }, { title: "Jobs", number: true }, { title: "Note" }],
      rows.map((worker) => [worker.name, word(worker.state), since(worker.since), String(worker.jobs ?? "-"),
        [worker.why, worker.note].filter(Boolean).join("; ")])),
    command("fedra status workers"),
  ];
}

export const overview = {
  topics: ["workers", "jobs"],
  ask: (ask) => Promise.all([
    ask("counts", { "group-by": "state" }),
    ask("counts", { "group-by": "reason", state: "Blocked" }),
    // Who sees only some jobs sees these all the same.
    ifAllowed(ask("workers")),
  ]),
  render: ([states, reasons, workers]) => [
    h("h1", {}, "Overview"),
    ...blocked(reasons, states),
    ...troubled(workers),
    h("h2", {}, "All jobs"),
    states.groups.length === 0 ? h("p", {}, "No jobs.") : h("ul", { class: "totals" }, states.groups.map((group) =>
      h("li", {}, h("a", { href: link({ state: group.name }), "data-key": `state ${group.name}` },
        h("b", {}, String(group.jobs)), word(group.name))))),
    command("fedra status jobs --group-by state"),
  ],
};
