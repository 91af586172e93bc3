// What needs a person first, then how much there is of everything.

import { ifAllowed } from "./api.js";
import { command, h, jobsWords, since, table, word } from "./dom.js";

// Of the namespace that the overview is of, if it is of one.
const link = ({ namespace }, more) => `#/jobs?${new URLSearchParams({ ...(namespace && { namespace }), ...more })}`;

// Who may not see the jobs of all namespaces may name one.
function chosen({ namespace }) {
  return h("form", { role: "search", "aria-label": "Of which namespace", onsubmit: (event) => {
    event.preventDefault();
    document.activeElement.blur();
    const values = Object.entries(Object.fromEntries(new FormData(event.target)));
    location.hash = `#/?${new URLSearchParams(values.filter(([, value]) => value))}`;
  } }, h("label", {}, "Namespace",
    h("input", { name: "namespace", value: namespace ?? "", autocomplete: "off", spellcheck: "false" })),
  h("button", { type: "submit" }, "Show"), namespace ? h("a", { href: "#/" }, "All namespaces") : "");
}

function blocked(reasons, states, values) {
  const count = states.groups.find((group) => group.name === "Blocked")?.jobs ?? 0;
  if (count === 0) return [h("h2", {}, "Blocked jobs"), h("p", {}, "No job is blocked.")];
  return [
    h("h2", {}, `Blocked jobs: ${count}`),
    table("By reason; a job with several is in each", [
      { title: "Reason" }, { title: "Jobs", number: true }, { title: "Longest" }, { title: "Job" }, { title: "What helps" },
    ], reasons.groups.map((group) => {
      const name = `${group.longest.namespace}/${group.longest.name}`;
      return [
        h("a", { href: link(values, { state: "Blocked", reason: group.name }), "data-key": `reason ${group.name}` }, group.name),
        String(group.jobs), since(group.longestSince),
        h("a", { href: `#/job?${new URLSearchParams({ job: name })}` }, name), group.remedy,
      ];
    })),
    command(jobsWords({ namespace: values.namespace, state: "Blocked", "group-by": "reason" })),
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

function all(states, values) {
  return [
    h("h2", {}, "All jobs"),
    states.groups.length === 0 ? h("p", {}, "No jobs.") : h("ul", { class: "totals" }, states.groups.map((group) =>
      h("li", {}, h("a", { href: link(values, { state: group.name }), "data-key": `state ${group.name}` },
        h("b", {}, String(group.jobs)), word(group.name))))),
    command(jobsWords({ namespace: values.namespace, "group-by": "state" })),
  ];
}

const refusedJobs = ({ refused }) => [h("h2", {}, "Jobs"), h("p", {}, `They are not shown: ${refused}.`)];

export const overview = {
  topics: ["workers", "jobs"],
  // Who sees only the workers, or only some jobs, sees these all the same.
  ask: (ask, { namespace }) => Promise.all([
    ifAllowed(ask("counts", { namespace, "group-by": "state" })),
    ifAllowed(ask("counts", { namespace, "group-by": "reason", state: "Blocked" })),
    ifAllowed(ask("workers")),
  ]),
  render: ([states, reasons, workers], values) => {
    const isRefused = Boolean(states.refused || reasons.refused);
    return [
      h("h1", {}, "Overview"),
      isRefused || values.namespace ? chosen(values) : "",
      ...isRefused ? refusedJobs(states.refused ? states : reasons) : blocked(reasons, states, values),
      ...troubled(workers),
      ...isRefused ? [] : all(states, values),
    ].filter((node) => node !== "");
  },
};
