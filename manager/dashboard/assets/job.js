// One job: where it is, for each worker why it can or cannot run there, what helps, and what happened.

import { command, h, option, since, table, word } from "./dom.js";
import { reasonLink } from "./reasons.js";

function reasons(worker) {
  if (worker.reasons.length === 0) return "-";
  return h("ul", { class: "plain" }, worker.reasons.map((reason) =>
    h("li", {}, h("strong", {}, reasonLink(reason.code)), ` ${reason.message ?? ""}`)));
}

function why(item) {
  const next = item.next;
  return [
    h("h2", {}, "Why"),
    item.note ? h("p", {}, item.note) : "",
    item.workers.length === 0 ? h("p", {}, "Nothing is known about workers.") : table("Each worker's verdict", [
      { title: "Worker" }, { title: "Verdict" }, { title: "Waiting" }, { title: "Reasons" },
    ], item.workers.map((worker) => [worker.name, word(worker.verdict), worker.prospect ?? "-", reasons(worker)])),
    next.text ? h("p", {}, next.text) : "",
    ...next.remedies.map((remedy) => h("p", {}, h("strong", {}, remedy.code), ` (${remedy.workers} workers): ${remedy.remedy}`)),
    ...next.commands.map((line) => command(line)),
  ];
}

function happened(item) {
  const attempts = item.attempts.length === 0 ? h("p", {}, "It has been sent to no worker.")
    : table("Attempts", [{ title: "Number" }, { title: "Worker" }, { title: "Started" }, { title: "Ended" },
      { title: "Outcome" }, { title: "Message" }],
    item.attempts.map((attempt) => [String(attempt.number), attempt.worker, since(attempt.startedAt),
      since(attempt.endedAt), attempt.outcome || "-", attempt.message]));
  const events = item.events.length === 0 ? ""
    : table("Events", [{ title: "Ago" }, { title: "Event" }, { title: "Worker" }, { title: "Message" }],
      item.events.toReversed().map((event) => [since(event.time), event.reason, event.worker || "-", event.message]));
  return [h("h2", {}, `History of ${item.uid}`), attempts, events];
}

export const job = {
  topics: ["jobs"],
  ask: (ask, values) => Promise.all([ask("why", values), ask("history", values)]),
  render: ([report, history], values) => [
    h("h1", {}, values.job ?? ""),
    ...report.jobs.flatMap((item) => [
      h("p", {}, item.kind, " · ", word(item.state), item.worker ? ` on ${item.worker}` : "", " for ", since(item.stateSince),
        ` · queue ${item.namespace}/${item.queue}`),
      ...why(item),
    ]),
    command(["fedra", "why", values.job ?? "", ...option("namespace", values.namespace)]),
    ...history.jobs.toReversed().flatMap(happened),
    command(["fedra", "history", values.job ?? "", ...option("namespace", values.namespace)]),
  ].filter((node) => node !== ""),
};
