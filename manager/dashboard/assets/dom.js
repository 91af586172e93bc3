// Elements as function calls. Text becomes text nodes: nothing that the daemon says is ever markup.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child !== undefined && child !== null && child !== "") element.append(child);
  }
  return element;
}

// columns: [{title, number}]; rows: arrays of cells; the first cell names its row.
export function table(caption, columns, rows) {
  const head = columns.map((column) =>
    h("th", { scope: "col", class: column.number ? "number" : undefined }, column.title));
  const body = rows.map((cells) => h("tr", {}, cells.map((cell, at) => at === 0
    ? h("th", { scope: "row" }, cell)
    : h("td", { class: columns[at].number ? "number" : undefined }, cell))));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)));
}

// In a shell.
const quoted = (text) => /^[\w.,:/=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

// Of a command, as words; none where there is no value.
export const option = (name, value) => value ? [`--${name}`, String(value)] : [];

// To copy: words, which are quoted here, or a line as the daemon says it.
export function command(said) {
  const line = Array.isArray(said) ? said.map(quoted).join(" ") : said;
  const button = h("button", { type: "button", "aria-label": `Copy: ${line}`, onclick: async () => {
    await navigator.clipboard.writeText(line);
    button.textContent = "Copied";
  } }, "Copy");
  return h("div", { class: "command" }, h("code", {}, line), button);
}

// The command that lists the same jobs.
export function jobsWords(values) {
  const options = Object.entries(values).filter(([name]) => name !== "continue" && name !== "all");
  return ["fedra", "status", "jobs", ...options.flatMap(([name, value]) => option(name, value)), ...values.all ? ["--all"] : []];
}

// As kubectl prints ages.
export function age(time, now = Date.now()) {
  if (!time) return "-";
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86400)}d`;
}

export function since(time) {
  return time ? h("time", { datetime: time, title: time }, age(time)) : "-";
}

// The sign beside a word: colour never stands alone.
const TONES = {
  Running: ["ok", "●"], Connected: ["ok", "●"], Finished: ["faint", "✓"], Yes: ["ok", "✓"],
  Blocked: ["bad", "✗"], Failed: ["bad", "✗"], No: ["bad", "✗"], Rejected: ["bad", "✗"],
  Unreachable: ["bad", "✗"], Misconfigured: ["bad", "✗"],
  Free: ["ok", "○"], Allocated: ["faint", "■"], Shared: ["faint", "◧"], Tainted: ["warn", "⚠"], Unusable: ["bad", "✗"],
  Placeable: ["ok", "✓"], Nowhere: ["bad", "✗"], NotJudged: ["warn", "?"], MayScale: ["ok", "↗"],
  Unknown: ["warn", "?"], Connecting: ["warn", "◌"], Syncing: ["warn", "◌"], Waiting: ["warn", "◌"],
};

export function word(state) {
  const [tone, sign] = TONES[state] ?? ["faint", "◌"];
  return h("span", { class: tone }, h("span", { "aria-hidden": "true" }, `${sign} `), state || "-");
}
