// The workers' copies of ResourceClaimTemplates: what the daemon would do about them now, and what it leaves alone.

import { command, h, option, table } from "./dom.js";

const NAMED = 5;  // workers of a row

// Of a fleet the same is to be done on many workers: one row for all of them.
function grouped(steps) {
  const groups = new Map();
  for (const { namespace, name, action, worker, why } of steps) {
    const key = JSON.stringify([namespace, name, action, why]);
    if (!groups.has(key)) groups.set(key, { name: `${namespace}/${name}`, action, why, workers: [] });
    groups.get(key).workers.push(worker);
  }
  return [...groups.values()];
}

function names(workers) {
  const link = (name) => h("a", { href: `#/worker?${new URLSearchParams({ name })}` }, name);
  const shown = workers.slice(0, NAMED).flatMap((name, at) => at > 0 ? [", ", link(name)] : [link(name)]);
  return h("span", {}, shown, workers.length > NAMED ? ` and ${workers.length - NAMED} more` : "");
}

function steps(report) {
  if (report.items.length === 0) return h("p", {}, "There is nothing to do: every copy is as it should be.");
  return table("What would be done now", [{ title: "Template" }, { title: "Action" }, { title: "Workers", number: true },
    { title: "Which" }, { title: "Why" }],
  grouped(report.items).map((row) => [row.name, row.action, String(row.workers.length), names(row.workers), row.why]));
}

function others(report) {
  if (report.leftAlone.length === 0) return "";
  return table("Templates that differ and are not fedra's: only their owner changes them",
    [{ title: "Template" }, { title: "Workers", number: true }, { title: "Which" }, { title: "How it differs" }],
    grouped(report.leftAlone).map((row) => [row.name, String(row.workers.length), names(row.workers), row.why]));
}

export const templates = {
  ask: (ask, values) => Promise.all([ask("templates", values)]),
  frame: () => [h("h1", {}, "Templates")],
  render: ([report], values) => [
    ...templates.frame(),
    h("p", {}, values.mode ? `As if verification.templates.sync were ${report.mode}. ` : `verification.templates.sync is ${report.mode}. `,
      values.mode ? h("a", { href: "#/templates", "data-key": "mode" }, "As configured")
        : h("a", { href: "#/templates?mode=Reconcile", "data-key": "mode" }, "As if it were Reconcile")),
    steps(report),
    others(report),
    ...report.unreadWorkers.map((unread) => h("p", { class: "bad" }, `✗ ${unread.worker}: ${unread.problem}`)),
    command(["fedra", "templates", "diff", ...option("mode", values.mode)]),
  ].filter((node) => node !== ""),
};
