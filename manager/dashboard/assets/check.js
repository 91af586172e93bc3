// Manifests are pasted and judged before they are submitted. They may be private: the address says nothing of them, and
// nothing of them is kept beyond this tab's page.

import { Refused } from "./api.js";
import { command, h, table, word } from "./dom.js";
import { reasonLink } from "./reasons.js";

const MOST = 1 << 20;  // bytes, as the daemon takes them
// Over the network the page comes from the daemon itself; beside it, from a command that asks its socket.
const SERVER = location.protocol === "https:" ? location.origin : "unix:/run/fedra/fedra.sock";

// What was pasted, and what came of it, while the tab shows other pages.
const kept = { text: "", namespace: "", said: "", answer: [] };

function findings(report) {
  if (report.findings.length === 0) return "";
  return table("Mistakes in the manifests",
    [{ title: "Object" }, { title: "Severity" }, { title: "Line", number: true }, { title: "Field" }, { title: "What" }],
    report.findings.map((finding) => [finding.object,
      h("span", { class: finding.severity === "warning" ? "warn" : "bad" },
        `${finding.severity === "warning" ? "⚠" : "✗"} ${finding.severity}`),
      finding.line > 0 ? String(finding.line) : "-", finding.path || "-",
      finding.hint ? `${finding.message} – ${finding.hint}` : finding.message]));
}

// Documents of other kinds, and kinds that the manager does not serve.
function skipped(report) {
  if (!report.skipped) return "";
  return [h("h2", {}, "Not looked at"),
    h("ul", { class: "plain" }, report.skipped.map((line) => h("li", {}, line)))];
}

function reasons(worker) {
  const notes = (worker.notes ?? []).map((note) => h("li", {}, note.message, note.remedy ? ` – ${note.remedy}` : ""));
  const lines = worker.reasons.map((reason) => h("li", {}, h("strong", {}, reasonLink(reason.code)), ` ${reason.message ?? ""}`));
  return lines.length + notes.length === 0 ? "-" : h("ul", { class: "plain" }, lines, notes);
}

function one(item) {
  const { kind, namespace, name } = item.job;
  return [
    h("h2", {}, `${kind} ${namespace}/${name}`),
    h("p", {}, word(item.result), item.note ? ` · ${item.note}` : ""),
    item.workers.length === 0 ? h("p", {}, "It has mistakes, so it was not judged.")
      : table("Where it could run", [{ title: "Worker" }, { title: "Verdict" }, { title: "Pods that fit", number: true },
        { title: "Reasons" }], item.workers.map((worker) => [worker.name, word(worker.verdict),
        worker.podsWanted === undefined ? "-" : `${worker.podsFitting} of ${worker.podsWanted}`, reasons(worker)])),
    item.preferredWorkers.length > 0 ? h("p", {}, `In this order: ${item.preferredWorkers.join(", ")}`) : "",
  ];
}

function rendered(report) {
  return [report.note ? h("p", {}, report.note) : "", findings(report), ...report.items.flatMap(one), skipped(report)].flat()
    .filter((node) => node !== "");
}

let judging = new AbortController();

// `said` is read out, the verdicts are there to be read.
async function judge(form, said, result, post) {
  kept.text = form.elements.manifests.value;
  kept.namespace = form.elements.namespace.value.trim();
  const show = (words, nodes = []) => {
    kept.said = words;
    kept.answer = nodes;
    said.replaceChildren(words);
    result.replaceChildren(...nodes);
  };
  if (kept.text.trim() === "") return show("Paste a manifest first.");
  if (new Blob([kept.text]).size > MOST) return show("✗ More than 1 MiB: check fewer at once.");
  // The answer to an earlier press may come after this one's.
  judging.abort();
  judging = new AbortController();
  const { signal } = judging;
  show("Judging …");
  try {
    const report = await post("check", { namespace: kept.namespace }, kept.text, signal);
    const mistakes = report.findings.filter((finding) => finding.severity === "error").length;
    show(`Jobs: ${report.items.length}, mistakes: ${mistakes}`, rendered(report));
  } catch (error) {
    if (signal.aborted) return;
    show(`✗ ${error instanceof Refused ? error.message : "fedra does not answer; is it still running?"}`);
  }
}

export const check = {
  isStill: true,  // nothing here changes by itself
  ask: () => Promise.resolve([]),
  render: (answers, values, post) => {
    const said = h("p", { role: "status" }, kept.said);
    const result = h("div", { id: "verdicts" }, kept.answer);
    const form = h("form", { class: "tall", "aria-label": "Manifests", onsubmit: (event) => {
      event.preventDefault();
      judge(form, said, result, post);
    } },
    h("label", { class: "wide" }, "Manifests: jobs, with the ResourceClaimTemplates that belong to them",
      h("textarea", { name: "manifests", rows: 14, spellcheck: "false", autocomplete: "off" }, kept.text)),
    h("label", {}, "Namespace of documents that name none",
      h("input", { name: "namespace", value: kept.namespace, autocomplete: "off", spellcheck: "false" })),
    h("button", { type: "submit" }, "Check"));
    return [
      h("h1", {}, "Check"),
      h("p", {}, "Says where jobs could run, by what the daemon sees now. Nothing is submitted."),
      form, said, result, command(["fedra", "check", "-f", "FILE", "--server", SERVER]),
    ];
  },
};
