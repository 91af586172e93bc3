// One worker: how it is connected, what it can, its queues and quota, and where its jobs and devices are shown.

import { Refused } from "./api.js";
import { amount } from "./amount.js";
import { command, h, jobsWords, since, table, word } from "./dom.js";

const fact = (name, value) => [h("dt", {}, name), h("dd", {}, value)];

function facts(worker) {
  return h("dl", {},
    fact("State", h("span", {}, word(worker.state), " for ", since(worker.since))),
    worker.cordon ? fact("Out of service", worker.cordon) : "",
    worker.removed ? fact("Configuration", "It is not configured any more; something of fedra's is left there.") : "",
    worker.lostSince ? fact("Out of contact for", since(worker.lostSince)) : "",
    // Of one that is connected the time goes on, and is no news: a page that stands would show an old one.
    worker.state === "Connected" ? ""
      : fact("Last contact", worker.lastContact ? h("span", {}, since(worker.lastContact), " ago") : "none yet"),
    fact("Kubernetes", worker.kubernetesVersion || "not known"), fact("resource.k8s.io", worker.draVersion || "none, or not known"),
    fact("Jobs", h("a", { href: `#/jobs?${new URLSearchParams({ worker: worker.name })}`, "data-key": "jobs" }, String(worker.jobs ?? "-"))),
    worker.jobsLeftBehind > 0 ? fact("Copies left behind", `${worker.jobsLeftBehind}: they may run there still`) : "",
    worker.devices ? fact("Devices", h("a", { href: `#/devices?${new URLSearchParams({ worker: worker.name })}`, "data-key": "devices" },
      `${worker.devices.inUse} of ${worker.devices.published} in use`)) : "",
    fact("Device map", h("a", { href: `#/map?${new URLSearchParams({ worker: worker.name })}`, "data-key": "map" }, worker.name)));
}

// Of what it has seen there.
function capabilities({ capabilities: can }) {
  if (!can) return h("p", {}, "Nothing is known of it yet.");
  const list = (words) => words.length === 0 ? "none" : words.join(", ");
  return h("dl", {},
    fact("Kinds of jobs", list(can.jobKinds)),
    can.jobKindsMissing.length > 0 ? fact("Kinds that are not served", list(can.jobKindsMissing)) : "",
    fact("Versions of Kueue's API", list(can.kueueVersions)),
    fact("Versions of DRA", can.dra ? list(can.dra.versions) : "none"),
    can.dra ? fact("Features of DRA", `${list(can.dra.features)}, by the rules of Kubernetes ${can.dra.release}`) : "",
    fact("Missing rights", can.missingRights.length === 0 ? "none is known"
      : h("span", { class: "bad" }, `✗ list and watch ${list(can.missingRights)}`)),
    can.declared.length > 0 ? fact("Declared in the configuration", list(can.declared)) : "");
}

function queues(worker) {
  if (!worker.queues) return h("p", {}, "It has no queues, or they are not known.");
  const { total, active, stopped } = worker.queues;
  return [h("p", {}, `${active} of ${total} queues admit jobs.`),
    stopped.length === 0 ? "" : table("Queues that do not", [{ title: "Queue" }, { title: "ClusterQueue" }, { title: "Why" }],
      stopped.map((queue) => [queue.name, queue.clusterQueue, queue.why || "-"]))];
}

function bar(use) {
  const words = `${use.clusterQueue}, ${use.flavor}, ${use.resource}: ${use.reserved} of ${use.nominal} reserved`;
  const [part, whole] = [amount(use.reserved), amount(use.nominal)];
  return part >= 0 && whole > 0
    ? h("meter", { min: 0, max: whole, value: Math.min(part, whole), "aria-label": words }, words) : "-";
}

function quota(worker) {
  if ((worker.quota ?? []).length === 0) return "";
  return table("What of its quota is reserved, the fullest first", [{ title: "ClusterQueue" }, { title: "Flavor" },
    { title: "Resource" }, { title: "Reserved", number: true }, { title: "Nominal", number: true }, { title: "Full" }],
  worker.quota.map((use) => [use.clusterQueue, use.flavor, use.resource, use.reserved, use.nominal, bar(use)]));
}

function found(report, name) {
  const worker = report.workers.find((each) => each.name === name);
  if (worker === undefined) throw new Refused(404, `There is no worker ${name ?? ""}.`);
  return worker;
}

export const worker = {
  topics: ["workers", "jobs"],
  ask: async (ask, values) => {
    const report = await ask("workers");
    return [{ ...report, worker: found(report, values.name), workers: undefined }];
  },
  render: ([report]) => [
    h("h1", {}, report.worker.name),
    report.worker.why ? h("p", { class: "bad" }, `✗ ${report.worker.why}`) : "",
    report.worker.note ? h("p", {}, report.worker.note) : "",
    facts(report.worker),
    h("h2", {}, "What it can"),
    capabilities(report.worker),
    h("h2", {}, "Queues"),
    queues(report.worker),
    quota(report.worker),
    command("fedra status workers -o wide"),
    command(jobsWords({ worker: report.worker.name })),
  ].flat().filter((node) => node !== ""),
};
