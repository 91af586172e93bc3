// Jobs by workers: each cell is a verdict and its first reason. Of many jobs a page is asked for, of many workers a few
// columns are shown: the address says which, so that no page ever has more cells than fit a screen or two.

import { Refused } from "./api.js";
import { command, h, jobsWords, table, word } from "./dom.js";

const JOBS = 25;
const WORKERS = 20;

const address = (values) => `#/matrix?${new URLSearchParams(Object.entries(values).filter(([, value]) => value))}`;
const nameOf = (item) => `${item.namespace}/${item.name}`;

// Why, of each, in one question; a job that has gone meanwhile has no verdicts.
async function reasonsOf(ask, jobs) {
  const known = new Map();
  try {
    const report = jobs.length === 0 ? { jobs } : await ask("why", { job: jobs.map((item) => `${item.kind}/${nameOf(item)}`) });
    for (const job of report.jobs) known.set(job.uid, job.workers);
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error;
  }
  return jobs.map((item) => known.get(item.uid) ?? [])
    .map((workers) => workers.map(({ name, verdict, reasons }) => ({ name, verdict, reason: reasons[0] })));
}

function cell(worker) {
  if (worker === undefined) return "-";
  const reason = worker.reason;
  return reason === undefined ? word(worker.verdict)
    : h("span", { title: reason.message }, word(worker.verdict), h("br"), h("span", { class: "faint" }, reason.code));
}

// Of all of these jobs, in the order in which they come.
const workersOf = (verdicts) => [...new Set(verdicts.flatMap((each) => each.map((worker) => worker.name)))];

function pages(values, begin, count) {
  const to = (at) => address({ ...values, first: at > 0 ? at : "" });
  return count <= WORKERS ? "" : h("p", {}, `Workers ${begin + 1} to ${Math.min(count, begin + WORKERS)} of ${count}: `,
    begin > 0 ? h("a", { href: to(begin - WORKERS), "data-key": "workers before" }, "Workers before") : "",
    begin > 0 && begin + WORKERS < count ? " · " : "",
    begin + WORKERS < count ? h("a", { href: to(begin + WORKERS), "data-key": "workers behind" }, "Workers behind") : "");
}

function filters(values) {
  const fields = [["namespace", "Namespace"], ["state", "State"], ["reason", "Reason"], ["queue", "Queue"]];
  return h("form", { role: "search", "aria-label": "Which jobs", onsubmit: (event) => {
    event.preventDefault();
    document.activeElement.blur();
    location.hash = address(Object.fromEntries(new FormData(event.target)));
  } }, fields.map(([name, title]) =>
    h("label", {}, title, h("input", { name, value: values[name] ?? (name === "state" ? "Blocked" : ""),
      autocomplete: "off", spellcheck: "false" }))),
  h("button", { type: "submit" }, "Show"), h("a", { href: "#/matrix" }, "Blocked jobs"));
}

export const matrix = {
  period: 30000,  // a page is many verdicts
  ask: async (ask, values) => {
    const { first, ...asked } = values;
    const report = await ask("jobs", { state: "Blocked", ...asked, limit: JOBS });
    return [report, await reasonsOf(ask, report.jobs)];
  },
  frame: (values) => [h("h1", {}, "Jobs by workers"), filters(values)],
  render: ([report, verdicts], values) => {
    const all = workersOf(verdicts);
    const wanted = Number.parseInt(values.first, 10) || 0;
    const begin = Math.max(0, Math.min(wanted, all.length - 1));
    const columns = all.slice(begin, begin + WORKERS);
    const row = (item, at) => {
      const of = new Map(verdicts[at].map((worker) => [worker.name, worker]));
      return [h("a", { href: `#/job?${new URLSearchParams({ job: nameOf(item) })}`, "data-key": `job ${nameOf(item)}` }, nameOf(item)),
        ...columns.map((name) => cell(of.get(name)))];
    };
    return [
      ...matrix.frame(values),
      report.jobs.length === 0 ? h("p", {}, "No such job: leave out a filter, or see all jobs under Jobs.")
        : columns.length === 0 ? h("p", {}, "Nothing is known about workers.")
          : table(`${report.jobs.length} jobs by ${columns.length} workers${report.remaining > 0 ? `, ${report.remaining} jobs behind them` : ""}`,
            [{ title: "Job" }, ...columns.map((title) => ({ title }))], report.jobs.map(row)),
      pages(values, begin, all.length),
      h("p", {},
        values.continue ? h("a", { href: address({ ...values, continue: "" }), "data-key": "first" }, "First jobs") : "",
        values.continue && report.continue ? " · " : "",
        report.continue ? h("a", { href: address({ ...values, continue: report.continue }), "data-key": "next" }, "Next jobs") : ""),
      command(jobsWords({ namespace: values.namespace, state: values.state || "Blocked", reason: values.reason, queue: values.queue })),
    ].filter((node) => node !== "");
  },
};
