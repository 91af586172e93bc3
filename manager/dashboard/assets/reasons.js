// What the words of the other pages mean. One of them: what leads to it, what helps, and the jobs that it blocks now.
// Without a name: all.

import { ifAllowed, Refused } from "./api.js";
import { command, h, jobsWords, table } from "./dom.js";

const page = (name) => `#/reasons?${new URLSearchParams({ name })}`;
const jobsOf = (reason) => `#/jobs?${new URLSearchParams({ state: "Blocked", reason })}`;

// A reason's code, wherever it stands: a link to what it means.
export const reasonLink = (code) => h("a", { href: page(code) }, code);

const linked = (entry) => h("a", { href: page(entry.name), "data-key": `${entry.group} ${entry.name}` }, entry.name);

function jobsCell(counts, reason) {
  if (counts.refused) return "-";
  const jobs = counts.groups.find((group) => group.name === reason)?.jobs ?? 0;
  return jobs === 0 ? "0" : h("a", { href: jobsOf(reason), "data-key": `jobs ${reason}` }, String(jobs));
}

function all(list, counts) {
  const meaning = { title: "Means" };
  return [
    h("h1", {}, "Reasons"),
    table("Why a worker cannot, or may not, run a job",
      [{ title: "Reason" }, { title: "About" }, { title: "Blocked jobs", number: true }, meaning],
      list.items.map((entry) => [linked(entry), entry.group, jobsCell(counts, entry.name), entry.summary])),
    table("States", [{ title: "State" }, { title: "Of" }, meaning],
      list.states.map((entry) => [linked(entry), entry.group, entry.summary])),
    table("Events of a job", [{ title: "Event" }, meaning], list.events.map((entry) => [linked(entry), entry.summary])),
    command("fedra explain"),
  ];
}

// A word can be of several lists.
function meanings(list, name) {
  const found = [...list.items, ...list.states, ...list.events].filter((entry) => entry.name === name);
  if (found.length === 0) throw new Refused(404, `There is no reason, state or event ${name}.`);
  return found;
}

function one(list, counts, name) {
  const facts = (entry) => [["What it is", entry.group], ["It means", entry.summary], ["What leads to it", entry.cause],
    ["What helps", entry.remedy], ["Blocked jobs", list.items.includes(entry) ? jobsCell(counts, name) : ""]]
    .filter(([, value]) => value).flatMap(([term, value]) => [h("dt", {}, term), h("dd", {}, value)]);
  return [
    h("h1", {}, name),
    ...meanings(list, name).map((entry) => h("dl", {}, facts(entry))),
    h("p", {}, h("a", { href: "#/reasons", "data-key": "all" }, "All reasons, states and events")),
    command(["fedra", "explain", name]),
    list.items.some((entry) => entry.name === name) ? command(jobsWords({ state: "Blocked", reason: name })) : "",
  ].filter((node) => node !== "");
}

export const reasons = {
  ask: (ask) => Promise.all([
    // What words mean every user may read; which jobs there are not.
    ifAllowed(ask("counts", { "group-by": "reason", state: "Blocked" })),
    ask("reasons"),
  ]),
  render: ([counts, list], values) => values.name ? one(list, counts, values.name) : all(list, counts),
};
