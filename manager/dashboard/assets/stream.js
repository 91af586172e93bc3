// What has changed, as the daemon says it: one stream for all tabs of a browser that have the same token. The tab that
// holds the lock reads it and tells the others; one that is not seen gives the lock away. Without Web Locks (they need
// https or this machine) each tab reads its own. EventSource cannot send a token, so it is read with fetch.

import { token } from "./api.js";

const SHORTEST = 2000;
const LONGEST = 30000;
const SILENCE = 25000;  // the daemon says something every 15 s
const isShared = "locks" in navigator && "BroadcastChannel" in window;

let going = null;  // an AbortController while this tab is seen
let lastId = "";
let heard = 0;  // when the stream was heard of last; 0: there is none
let onChange = () => {};

// Other tokens see other things. No secret: channels are of this origin alone.
function nameOf(text) {
  let hash = 0;
  for (const letter of text) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0;
  return `fedra-stream-${hash}`;
}

// Whether changes are told now; if not, they have to be asked for.
export const isLive = () => heard > 0 && Date.now() - heard < SILENCE;

// Calls `change` with {topics, jobs, many}; with null when everything is to be asked for, or no more is told.
export function follow(change) {
  onChange = change;
  start();
}

export function start() {
  stop();
  if (document.hidden || !token()) return;
  going = new AbortController();
  const { signal } = going;
  const name = nameOf(token());
  if (!isShared) return void read(signal, hear);
  const channel = new BroadcastChannel(name);
  signal.addEventListener("abort", () => channel.close());
  channel.onmessage = ({ data }) => hear(data);
  const tell = (message) => {
    hear(message);
    if (!signal.aborted) channel.postMessage(message);
  };
  navigator.locks.request(name, { signal }, () => read(signal, tell)).catch(() => {});
}

export function stop() {
  going?.abort();
  going = null;
  heard = 0;
}

// A message: {name, data, id} of an event, {} of a comment, {name: "lost"}.
function hear({ name, data, id }) {
  const wasLive = isLive();
  heard = name === "lost" ? 0 : Date.now();
  if (id) lastId = id;
  if (name === "changed") onChange(data);
  else if (name === "resync" || isLive() !== wasLive) onChange(null);
}

// Until `signal`: reads, and begins again when it ends.
async function read(signal, tell) {
  for (let pause = SHORTEST; !signal.aborted; pause = Math.min(LONGEST, pause * 2)) {
    const begun = Date.now();
    try {
      await readOnce(signal, tell);
    } catch {
      // It is asked for again; meanwhile the page asks by itself.
    }
    if (signal.aborted) return;
    tell({ name: "lost" });
    if (Date.now() - begun > LONGEST) pause = SHORTEST;
    await new Promise((done) => {
      setTimeout(done, pause);
      signal.addEventListener("abort", done, { once: true });
    });
  }
}

async function readOnce(signal, tell) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE);
  const headers = { Accept: "text/event-stream", Authorization: `Bearer ${token()}` };
  if (lastId) headers["Last-Event-ID"] = lastId;
  try {
    const answer = await fetch("api/v1alpha1/watch", { headers, signal: AbortSignal.any([signal, silence.signal]) });
    if (!answer.ok) return;
    let text = "";
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE);
      text += value;
      const events = text.split("\n\n");
      text = events.pop();
      for (const event of events) tell(parse(event));
    }
  } finally {
    clearTimeout(timer);
  }
}

// {} of a comment. The daemon writes each field on one line.
function parse(event) {
  const fields = Object.fromEntries(event.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
  return fields.event ? { name: fields.event, data: JSON.parse(fields.data), id: fields.id } : {};
}
