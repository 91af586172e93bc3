// The devices of one worker, one by one: node, pool, device. A card's partitions stand in one box with the counters that
// they share, for they are alternatives: taking one may rule out others.

import { amount } from "./amount.js";
import { command, h, option, table, word } from "./dom.js";

const LIMIT = 20;  // nodes of a page

const address = (values) => `#/map?${new URLSearchParams(Object.entries(values).filter(([, value]) => value))}`;

function usage(name, { used, total }) {
  const words = `${name}: ${used} of ${total} used`;
  const [part, whole] = [amount(used), amount(total)];
  return h("li", {}, words, part >= 0 && whole > 0
    ? h("meter", { min: 0, max: whole, value: Math.min(part, whole), "aria-label": words }, words) : "");
}

const amounts = (uses) => h("ul", { class: "plain" }, Object.entries(uses).map(([name, use]) => usage(name, use)));

function holder({ namespace, claim, job }) {
  const name = job ? `${namespace}/${job}` : "";
  return h("li", {}, job ? h("a", { href: `#/job?${new URLSearchParams({ job: name })}`, "data-key": `holder ${claim} ${name}` }, name)
    : `ResourceClaim ${namespace}/${claim}`);
}

const taint = ({ key, value, effect, rule }) =>
  h("li", {}, `${effect} ${key}${value ? `=${value}` : ""}${rule ? ` (DeviceTaintRule ${rule})` : ""}`);

// What is said of it beside its name and state; empty parts are left out.
function facts(device) {
  const consumed = (device.consumes ?? []).flatMap(({ counterSet, counters }) =>
    Object.entries(counters).map(([name, value]) => `${value} ${name} of ${counterSet}`));
  return [
    device.why ? h("p", {}, device.why) : "",
    device.holders ? h("ul", { class: "plain", "aria-label": "Held by" }, device.holders.map(holder)) : "",
    device.taints ? h("ul", { class: "plain", "aria-label": "Taints" }, device.taints.map(taint)) : "",
    device.shares ? amounts(device.shares) : "",
    consumed.length > 0 ? h("p", { class: "faint" }, `takes ${consumed.join(", ")}`) : "",
    device.classes.length > 0 ? h("p", { class: "faint" }, device.classes.join(", ")) : "",
  ];
}

const cell = (device) => h("li", { class: `device ${device.state.toLowerCase()}` },
  h("strong", {}, device.name), " ", word(device.state), facts(device));

const cells = (name, devices) => h("ul", { class: "devices", "aria-label": name }, devices.map(cell));

// By the counter set that they consume of; those that consume of none, or of several, stand alone.
function boxes(pool) {
  const sets = new Map((pool.counterSets ?? []).map((set) => [set.name, { set, devices: [] }]));
  const alone = [];
  for (const device of pool.devices) {
    const own = device.consumes?.length === 1 ? sets.get(device.consumes[0].counterSet) : undefined;
    (own?.devices ?? alone).push(device);
  }
  return [
    ...[...sets.values()].map(({ set, devices }) => h("section", { class: "card", "aria-label": `Counters ${set.name}` },
      h("h4", {}, set.name), amounts(set.counters), devices.length > 0 ? cells(`Devices of ${set.name}`, devices) : "")),
    alone.length > 0 ? cells(`Devices of ${pool.pool}`, alone) : "",
  ];
}

function onNode(node) {
  const title = node.name || "Reached by many nodes";
  return h("section", { class: "node", "aria-label": title },
    h("h2", {}, title, node.cordoned ? h("span", { class: "warn" }, " (cordoned: no new pod gets there)") : "",
      node.missing ? h("span", { class: "bad" }, " (there is no such node)") : ""),
    node.pools.map((pool) => [
      h("h3", {}, `${pool.pool} `, h("span", { class: "faint" }, pool.driver)),
      pool.problem ? h("p", { class: "bad" }, `✗ ${pool.problem}`) : "",
      boxes(pool),
    ]).flat(2));
}

// How many there are of each state, of what is shown: partitions are alternatives, so these are no stock.
function legend(nodes) {
  const counts = new Map();
  for (const device of nodes.flatMap((node) => node.pools.flatMap((pool) => pool.devices)))
    counts.set(device.state, (counts.get(device.state) ?? 0) + 1);
  return h("ul", { class: "legend", "aria-label": "Devices on this page, by state" },
    [...counts].map(([state, count]) => h("li", {}, word(state), ` ${count}`)));
}

function choose(report) {
  return [
    h("h1", {}, "Device map"),
    report.workers.length === 0 ? h("p", {}, "No worker is known yet: add one under workers: in fedra.yaml.")
      : table("Choose a worker", [{ title: "Worker" }, { title: "State" }], report.workers.map((worker) => [
        h("a", { href: address({ worker: worker.name }), "data-key": worker.name }, worker.name), word(worker.state)])),
  ];
}

function filters(values) {
  return h("form", { role: "search", "aria-label": "Which nodes", onsubmit: (event) => {
    event.preventDefault();
    document.activeElement.blur();
    location.hash = address(Object.fromEntries(new FormData(event.target)));
  } }, [["worker", "Worker"], ["node", "Node"]].map(([name, title]) =>
    h("label", {}, title, h("input", { name, value: values[name] ?? "", autocomplete: "off", spellcheck: "false" }))),
  h("button", { type: "submit" }, "Show"), values.node ? h("a", { href: address({ worker: values.worker }) }, "All nodes") : "");
}

const words = ({ worker, node, continue: from }) => ["fedra", "devices", "--map", ...option("worker", worker),
  ...option("node", node), ...option("limit", LIMIT), ...option("continue", from)];

export const map = {
  ask: (ask, values) => Promise.all([values.worker ? ask("device-map", { ...values, limit: LIMIT }) : ask("workers")]),
  frame: (values) => [h("h1", {}, values.worker ? `Devices of ${values.worker}` : "Device map"), values.worker ? filters(values) : ""],
  render: ([report], values) => report.kind !== "DeviceMap" ? choose(report) : [
    ...map.frame(values),
    legend(report.nodes),
    ...(report.nodes.length === 0 ? [h("p", {}, "This worker publishes no devices.")] : report.nodes.map(onNode)),
    h("p", {},
      values.continue ? h("a", { href: address({ ...values, continue: "" }), "data-key": "first" }, "First nodes") : "",
      values.continue && report.continue ? " · " : "",
      report.continue ? h("a", { href: address({ ...values, continue: report.continue }), "data-key": "next" },
        `Next nodes (${report.remaining} more)`) : ""),
    command(words(values)),
  ].filter((node) => node !== ""),
};
