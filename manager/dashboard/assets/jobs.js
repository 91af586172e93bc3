// The jobs, a page at a time: filtered, sorted and counted by the daemon. The address is the question.

import { command, h, jobsWords, since, table, word } from "./dom.js";

const LIMIT = 100;
// Of every list of jobs, those that are given as `fields` among them.
const NAMED = [["name", "Name"], ["namespace", "Namespace"]];
const PLACED = [["worker", "Worker"], ["queue", "Queue"], ["selector", "Labels"]];
const FIELDS = [["state", "State"], ["reason", "Reason"]];
const ORDERS = ["state", "line", "name", "age", "worker", "queue", "ended"];

const address = (values) => `#/jobs?${new URLSearchParams(Object.entries(values).filter(([, value]) => value))}`;

// `address`: of a list by its values; `choice`: of the form's one select.
export function filters(values, address, fields, choice) {
  const field = ([name, title]) =>
    h("label", {}, title, h("input", { name, value: values[name] ?? "", autocomplete: "off", spellcheck: "false" }));
  return h("form", { role: "search", "aria-label": "Which jobs", onsubmit: (event) => {
    event.preventDefault();
    document.activeElement.blur();
    location.hash = address(Object.fromEntries(new FormData(event.target)));
  } }, [...NAMED, ...fields, ...PLACED].map(field), choice, h("button", { type: "submit" }, "Show"),
  h("a", { href: address({}) }, "All jobs"));
}

export const select = (title, name, options, chosen) => h("label", {}, title, h("select", { name }, options.map(([value, text]) =>
  h("option", { value, selected: value === chosen }, text))));

// What leads to other pages of the list.
export function pages(values, report, address) {
  return h("p", {},
    values.continue ? h("a", { href: address({ ...values, continue: "" }), "data-key": "first" }, "First page") : "",
    values.continue && report.continue ? " · " : "",
    report.continue ? h("a", { href: address({ ...values, continue: report.continue }), "data-key": "next" }, "Next page") : "");
}

export const jobLink = (name) => h("a", { href: `#/job?${new URLSearchParams({ job: name })}`, "data-key": `job ${name}` }, name);

export const caption = (report) => `${report.jobs.length} jobs${report.remaining > 0 ? `, ${report.remaining} behind them` : ""}`;

function row(item) {
  const name = `${item.namespace}/${item.name}`;
  const reasons = (item.reasons ?? []).map((reason) => `${reason.code} ×${reason.workers}`).join(", ");
  return [
    jobLink(name), word(item.state), since(item.stateSince), item.worker || "-", `${item.namespace}/${item.queue}`, reasons || item.note,
  ];
}

export const jobs = {
  topics: ["jobs"],
  ask: (ask, values) => Promise.all([ask("jobs", { ...values, limit: LIMIT })]),
  frame: (values) => [h("h1", {}, "Jobs"), filters(values, address, FIELDS,
    select("Order", "sort-by", ORDERS.map((name) => [name, name]), values["sort-by"] ?? "state"))],
  render: ([report], values) => [
    ...jobs.frame(values),
    report.jobs.length === 0
      ? h("p", {}, Object.keys(values).length === 0 ? "No jobs." : "No job matches: leave out a filter, or show all jobs.")
      : table(caption(report), [
        { title: "Job" }, { title: "State" }, { title: "For" }, { title: "Worker" }, { title: "Queue" }, { title: "Why" },
      ], report.jobs.map(row)),
    pages(values, report, address),
    report.ended > 0 ? h("p", {}, `${report.ended} ended more than an hour ago. `,
      h("a", { href: address({ ...values, continue: "", all: "true" }), "data-key": "all" }, "Show them")) : "",
    command(jobsWords(values)),
  ].filter((node) => node !== ""),
};
