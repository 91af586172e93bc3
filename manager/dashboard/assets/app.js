// Which view is shown, and that it stays true: asked again when the daemon says that something of it has changed, and
// every half a minute all the same; every few seconds where it does not say so, less often while it does not answer.
// What was shown stays, and says how old it is.

import { ask, keepToken, post, Refused, takeToken } from "./api.js";
import { check } from "./check.js";
import { age, command, h } from "./dom.js";
import { devices } from "./devices.js";
import { history } from "./history.js";
import { job } from "./job.js";
import { jobs } from "./jobs.js";
import { heedKeys } from "./keys.js";
import { map } from "./map.js";
import { matrix } from "./matrix.js";
import { overview } from "./overview.js";
import { reasons } from "./reasons.js";
import * as stream from "./stream.js";
import { templates } from "./templates.js";
import { worker } from "./worker.js";
import { workers } from "./workers.js";

const VIEWS = { "": overview, workers, worker, jobs, job, history, matrix, devices, map, templates, check, reasons };
const PARENTS = { job: "jobs", map: "devices", worker: "workers" };  // whose link in the menu is the nearest
const PERIOD = 5000;
const LONGEST = 30000;  // also between two questions while changes are told
const QUICKEST = 2000;  // between two questions, however much changes
const PAUSES = 4;  // times as long as the answers took: who looks must not keep the daemon busy

const main = document.getElementById("main");
const banner = document.getElementById("banner");
const ageLine = document.getElementById("age");

let shown = { route: "", text: "", at: 0 };
let failures = 0;  // since the last answer
let timer = 0;
let asked = { at: 0, took: 0, isGoing: false };  // the last question
let isDue = false;  // something has changed since
let going = new AbortController();

// "#/jobs?state=Blocked" -> the view's name and its values.
function route() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { name: path, values: Object.fromEntries(new URLSearchParams(query)) };
}

function say(text) {
  banner.hidden = text === "";
  if (banner.textContent !== text) banner.textContent = text;
}

// The daemon's own state, as the commands say it above their tables.
function daemonWords(document) {
  if (document === undefined || document.source || document.refused) return "";  // the daemon's own memory, as of now
  const daemon = document.daemon;
  if (daemon === undefined) return "No daemon has written here yet.";
  if (!daemon.running) return `The daemon is not running: what follows is as of ${document.asOf}.`;
  if (daemon.restartNeeded) return "The daemon needs a restart to take over what changed in its configuration.";
  const replica = daemon.replica;
  if (replica?.role === "Standby") {
    const jobs = replica.jobsAsOf ? `jobs are as of ${replica.jobsAsOf}` : "no job is known";
    return `By a standby (replica ${replica.identity}): ${jobs}; ` +
      (replica.leader ? `the leader is ${replica.leader}.` : "no replica leads.");
  }
  const manager = document.manager;
  if (manager && (manager.state !== "Connected" || manager.why)) return `Manager ${manager.state}: ${manager.why}`;
  return "";
}

// What makes one answer differ from another; ages do not.
function news(answers) {
  const ages = ["asOf", "ageSeconds", "lastContact"];
  return JSON.stringify(answers, (key, value) => ages.includes(key) ? undefined : value);
}

// Ages grow although nothing is new.
function renewAges() {
  for (const time of main.querySelectorAll("time")) {
    const text = age(time.dateTime);
    if (time.textContent !== text) time.textContent = text;
  }
}

function show(name, nodes, isNew) {
  const focused = document.activeElement?.dataset?.key;
  main.replaceChildren(...nodes);
  if (isNew) {
    const title = main.querySelector("h1")?.textContent ?? "";
    document.title = `${title} – fedra`;
    main.focus();
    scrollTo(0, 0);
  } else if (focused) {
    main.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
  for (const link of document.querySelectorAll("nav a")) {
    const own = link.getAttribute("href").slice(2);
    if (own === (PARENTS[name] ?? name)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

// A form is not replaced while the user fills it in.
function isTyping() {
  return main.contains(document.activeElement) && document.activeElement.matches("input, select, textarea");
}

async function look() {
  clearTimeout(timer);
  going.abort();
  going = new AbortController();
  const signal = going.signal;
  const { name, values } = route();
  const view = VIEWS[name];
  const here = location.hash;
  const begun = performance.now();
  const mine = { at: begun, took: 0, isGoing: true };
  let delay = PERIOD;
  asked = mine;
  isDue = false;
  try {
    if (!view) throw new Refused(404, `There is no page ${name}.`);
    const answers = await view.ask((path, asked) => ask(path, asked, signal), values);
    const text = news(answers);
    const isNew = shown.route !== here;
    if ((isNew || text !== shown.text) && (isNew || !isTyping())) show(name, view.render(answers, values, post), isNew);
    shown = { route: here, text, at: view.isStill ? 0 : Date.now() };
    failures = 0;
    mine.took = performance.now() - begun;
    const isTold = view.topics && stream.isLive();
    delay = Math.max(isTold ? LONGEST : view.period ?? PERIOD, PAUSES * mine.took);
    say(daemonWords(answers.find((answer) => answer?.daemon) ?? answers[0]));
  } catch (error) {
    if (signal.aborted) return;
    failures += 1;
    delay = Math.min(LONGEST, PERIOD * 2 ** failures);
    trouble(name, error, here);
  }
  mine.isGoing = false;
  tick();
  timer = setTimeout(look, delay * (0.9 + Math.random() * 0.2));
  if (isDue) lookSoon();
}

// Not before the daemon had its pause.
function lookSoon() {
  isDue = true;
  if (document.hidden || asked.isGoing) return;
  clearTimeout(timer);
  const pause = Math.max(QUICKEST, (PAUSES + 1) * asked.took);
  timer = setTimeout(look, Math.max(0, asked.at + pause - performance.now()));
}

// What has changed; null: everything may have.
function hear(change) {
  const { name, values } = route();
  const view = VIEWS[name];
  if (!view?.topics) return;
  const isOfView = change === null || change.topics.includes("daemon") ||
    change.topics.some((topic) => view.topics.includes(topic) && (topic !== "jobs" || isOfJob(values.job, change)));
  if (isOfView) lookSoon();
}

// `job`: of the view, as the user has named it; undefined: it is of all.
function isOfJob(job, change) {
  if (job === undefined || change.many || !job.includes("/")) return true;
  return change.jobs.some((name) => job === name || job.endsWith(`/${name}`));
}

// Not replaced while a token is typed.
function signIn() {
  shown = { route: "", text: "", at: 0 };
  say("");
  if (main.querySelector("#token")) return;
  const form = h("form", { "aria-label": "Sign in", onsubmit: (event) => {
    event.preventDefault();
    keepToken(event.target.elements.token.value);
    stream.start();
    main.replaceChildren(h("p", {}, "…"));
    look();
  } }, h("label", {}, "Token", h("input", { id: "token", name: "token", type: "password", autocomplete: "off", required: true })),
  h("button", { type: "submit" }, "Sign in"));
  show("", [
    h("h1", {}, "Who are you?"),
    h("p", {}, "This tab has no token that is known here. Of fedra dashboard, open the address that it printed. Where fedra " +
      "is served over the network, paste a token of an account on the manager:"),
    command("kubectl create token NAME -n NAMESPACE"), form,
    h("p", {}, "It stays in this tab alone, and is forgotten with it."),
  ], true);
}

function trouble(name, error, here) {
  const isRefusal = error instanceof Refused;
  if (isRefusal && error.status === 401) return signIn();
  const words = isRefusal ? error.message : navigator.onLine ? "fedra does not answer; is it still running?"
    : "fedra does not answer, and this browser is offline.";
  if (shown.route === here && !(isRefusal && error.status === 404)) {
    if (shown.at > 0) say(`${words} Shown is what was known ${age(new Date(shown.at).toISOString())} ago.`);
    return;
  }
  // What was asked for can still be corrected.
  const frame = VIEWS[name]?.frame?.(route().values)
    ?? [h("h1", {}, isRefusal && error.status === 404 ? "Not found" : "Nothing to show")];
  show(name, [...frame, h("p", {}, words)], true);
  shown = { route: here, text: "", at: 0 };
  say("");
}

function tick() {
  renewAges();
  ageLine.textContent = shown.at === 0 ? "" : `as of ${age(new Date(shown.at).toISOString())} ago`;
}

takeToken();
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => {
  takeToken();
  failures = 0;
  look();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    clearTimeout(timer);
    stream.stop();
  } else {
    stream.start();
    look();
  }
});
// What a cut connection looks like only after a while.
addEventListener("offline", () => {
  stream.stop();
  look();
});
addEventListener("online", () => {
  failures = 0;
  stream.start();
  look();
});
heedKeys(main);
setInterval(tick, PERIOD);
stream.follow(hear);
look();
