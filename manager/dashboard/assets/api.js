// Questions to the daemon. The secret comes in the fragment of the address that `fedra dashboard` prints, which no
// browser sends anywhere; over the network it is a token of the manager's that is pasted. It lives as long as the tab.

const KEY = "fedra-token";

export function takeToken() {
  const given = /^#token=([0-9a-f]+)$/.exec(location.hash);
  if (!given) return;
  sessionStorage.setItem(KEY, given[1]);
  history.replaceState(null, "", "#/");
}

export function keepToken(token) {
  sessionStorage.setItem(KEY, token.trim());
}

export const token = () => sessionStorage.getItem(KEY) ?? "";

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// The document, or a Refused in the daemon's words. `signal` ends it.
export const ask = (path, values = {}, signal = undefined) => send(path, values, {}, signal);

// Where the user's rights do not cover it: `refused`, in the daemon's words, in place of the document.
export const ifAllowed = (asked) => asked.catch((error) => {
  if (error instanceof Refused && error.status === 403) return { refused: error.message };
  throw error;
});

// What is answered to a text of YAML or JSON. `signal` ends it.
export const post = (path, values, body, signal = undefined) =>
  send(path, values, { method: "POST", body, headers: { "Content-Type": "application/yaml" } }, signal);

// The last answers by question, with their tags: what is as it was is not sent again. In this tab's memory alone.
const kept = new Map();
const MOST_KEPT = 30;  // a view asks for at most so many

function keep(question, tag, document) {
  kept.delete(question);
  kept.set(question, { tag, document });
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
}

async function send(path, values, request, signal = undefined) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
  const question = `${token()} ${path}?${query}`;
  const before = request.method === "POST" ? undefined : kept.get(question);
  const answer = await fetch(`api/v1alpha1/${path}?${query}`, {
    ...request,
    headers: { ...request.headers, Authorization: `Bearer ${token()}`, ...(before && { "If-None-Match": before.tag }) },
    signal: AbortSignal.any([AbortSignal.timeout(60000), ...(signal ? [signal] : [])]),
  });
  if (answer.status === 304 && before) return before.document;
  const text = await answer.text();
  let document;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Refused(answer.status, `The answer (${answer.status}) is no JSON`);
  }
  if (!answer.ok) throw new Refused(answer.status, document.message ?? `The answer is ${answer.status}`);
  const tag = answer.headers.get("ETag");
  if (tag && request.method !== "POST") keep(question, tag, document);
  return document;
}
