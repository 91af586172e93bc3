// What each worker's devices are doing, by class, and by pool where one worker is asked for. Pools advertise every
// partition that is possible, so numbers of different classes are never added up.

import { command, h, option, table } from "./dom.js";

const COUNTS = [
  { title: "Total", number: true }, { title: "Free", number: true }, { title: "Allocated", number: true },
  { title: "Shared", number: true }, { title: "Tainted", number: true }, { title: "Unusable", number: true },
];

const numbers = (count) =>
  [count.total, count.free, count.allocated, count.shared, count.tainted, count.unusable].map(String);

function bar(name, count) {
  return h("meter", { min: 0, max: Math.max(1, count.total), value: count.free,
    "aria-label": `${name}: ${count.free} of ${count.total} free` }, `${count.free} of ${count.total} free`);
}

function pools(worker) {
  return table(`Pools of ${worker.name}`,
    [{ title: "Node" }, { title: "Pool" }, { title: "Driver" }, ...COUNTS, { title: "Problems" }],
    worker.pools.map((pool) => [pool.node || "-", pool.pool, pool.driver, ...numbers(pool), pool.problems.join("; ")]));
}

function one(worker, isAlone) {
  return [
    h("h2", {}, h("a", { href: `#/devices?${new URLSearchParams({ worker: worker.name })}`, "data-key": worker.name },
      worker.name)),
    ...worker.notes.map((note) => h("p", {}, note)),
    worker.classes.length === 0 ? h("p", {}, "No devices.") : table(`Devices of ${worker.name}`,
      [{ title: "Class" }, { title: "Driver" }, { title: "Nodes", number: true }, ...COUNTS, { title: "Free" }],
      worker.classes.map((each) => [each.class || "(no class)", each.driver, String(each.nodes), ...numbers(each),
        bar(each.class, each)])),
    isAlone && worker.pools.length > 0 ? pools(worker) : "",
    worker.classes.length > 0 ? h("p", {}, h("a", { href: `#/map?${new URLSearchParams({ worker: worker.name })}`,
      "data-key": `map ${worker.name}` }, `Device map of ${worker.name}`)) : "",
  ];
}

export const devices = {
  ask: (ask, values) => Promise.all([ask("devices", values)]),
  render: ([report], values) => [
    h("h1", {}, "Devices"),
    ...(report.workers.length + report.unreadWorkers.length === 0 ? [h("p", {}, "No worker's devices are known.")]
      : report.workers.flatMap((worker) => one(worker, Boolean(values.worker)))),
    ...report.unreadWorkers.map((unread) => h("p", { class: "bad" }, `✗ ${unread.worker}: ${unread.problem}`)),
    values.worker ? h("p", {}, h("a", { href: "#/devices" }, "All workers")) : "",
    command(["fedra", "devices", ...option("worker", values.worker)]),
  ].filter((node) => node !== ""),
};
