// The jobs that have ended or were deleted, the newest first.

import { command, h, jobsWords, since, table, word } from "./dom.js";
import { caption, filters, jobLink, pages, select } from "./jobs.js";

const LIMIT = 100;
const ALL = "Finished,Failed,Deleted";
const STATES = [[ALL, "all of these"], ["Finished", "Finished"], ["Failed", "Failed"], ["Deleted", "Deleted"]];

const address = (values) => `#/history?${new URLSearchParams(Object.entries(values).filter(([, value]) => value))}`;
const question = (values) => ({ ...values, state: values.state ?? ALL, "sort-by": "ended" });

function row(item) {
  return [
    jobLink(`${item.namespace}/${item.name}`),
    item.removedAt ? h("span", {}, word("Deleted"), `, last ${item.state}`) : word(item.state),
    since(item.removedAt ?? item.finishedAt), item.worker || "-", `${item.namespace}/${item.queue}`, item.note,
  ];
}

export const history = {
  ask: (ask, values) => Promise.all([ask("jobs", { ...question(values), limit: LIMIT })]),
  frame: (values) => [h("h1", {}, "History"),
    filters(values, address, [], select("State", "state", STATES, values.state ?? ALL))],
  render: ([report], values) => [
    ...history.frame(values),
    report.jobs.length === 0 ? h("p", {}, "No such job is known.")
      : table(caption(report), [
        { title: "Job" }, { title: "State" }, { title: "Ago" }, { title: "Worker" }, { title: "Queue" }, { title: "Note" },
      ], report.jobs.map(row)),
    pages(values, report, address),
    h("p", {}, "Jobs that have ended are here for as long as the manager has them. What was deleted is here until its history " +
      "goes: after store.historyRetention, which is 30 days unless it is configured, or earlier where the store is full."),
    command(jobsWords(question(values))),
  ],
};
