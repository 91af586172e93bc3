// The jobs, a page at a time: filtered, sorted and counted by the daemon. The address is the question.

import { command, h, jobsLine, since, table, word } from "./dom.js";

const LIMIT = 100;
const FIELDS = [
  ["name", "Name"], ["namespace", "Namespace"], ["state", "State"], ["reason", "Reason"], ["worker", "Worker"], ["queue", "Queue"],
  ["selector", "Labels"],
];
const ORDERS = ["state", "line", "name", "age", "worker", "queue"];

const address = (values) => `#/jobs?${new URLSearchParams(Object.entries(values).filter(([, value]) => value))}`;

function filters(values) {
  const field = ([name, title]) =>
    h("label", {}, title, h("input", { name, value: values[name] ?? "", autocomplete: "off", spellcheck: "false" }));
  const order = h("label", {}, "Order", h("select", { name: "sort-by" }, ORDERS.map((name) =>
    h("option", { value: name, selected: name === (values["sort-by"] ?? "state") }, name))));
  return h("form", { role: "search", "aria-label": "Which jobs", onsubmit: (event) => {
    event.preventDefault();
    document.activeElement.blur();
    location.hash = address(Object.fromEntries(new FormData(event.target)));
  } }, FIELDS.map(field), order, h("button", { type: "submit" }, "Show"), h("a", { href: "#/jobs" }, "All jobs"));
}

function row(item) {
  const name = `${item.namespace}/${item.name}`;
  const reasons = (item.reasons ?? []).map((reason) => `${reason.code} ×${reason.workers}`).join(", ");
  return [
    h("a", { href: `#/job?${new URLSearchParams({ job: name })}`, "data-key": `job ${name}` }, name),
    word(item.state), since(item.stateSince), item.worker || "-", `${item.namespace}/${item.queue}`, reasons || item.note,
  ];
}

export const jobs = {
  topics: ["jobs"],
  ask: (ask, values) => Promise.all([ask("jobs", { ...values, limit: LIMIT })]),
  frame: (values) => [h("h1", {}, "Jobs"), filters(values)],
  render: ([report], values) => [
    ...jobs.frame(values),
    report.jobs.length === 0
      ? h("p", {}, Object.keys(values).length === 0 ? "No jobs." : "No job matches: leave out a filter, or show all jobs.")
      : table(`${report.jobs.length} jobs${report.remaining > 0 ? `, ${report.remaining} behind them` : ""}`, [
        { title: "Job" }, { title: "State" }, { title: "For" }, { title: "Worker" }, { title: "Queue" }, { title: "Why" },
      ], report.jobs.map(row)),
    h("p", {},
      values.continue ? h("a", { href: address({ ...values, continue: "" }), "data-key": "first" }, "First page") : "",
      values.continue && report.continue ? " · " : "",
      report.continue ? h("a", { href: address({ ...values, continue: report.continue }), "data-key": "next" }, "Next page") : ""),
    report.ended > 0 ? h("p", {}, `${report.ended} ended more than an hour ago. `,
      h("a", { href: address({ ...values, continue: "", all: "true" }), "data-key": "all" }, "Show them")) : "",
    command(jobsLine(values)),
  ].filter((node) => node !== ""),
};
