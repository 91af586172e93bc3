// Keys for who looks often; those of the terminal's screen (docs/screen.md) do here what they do there. A user may
// switch them off (WCAG 2.1.4), and none is taken while something is typed, or with Ctrl, Alt or Meta.

import { h } from "./dom.js";

const STORED = "fedra-keys";  // "off": the user does not want them
const VIEWS = { o: "", w: "workers", j: "jobs", h: "history", m: "matrix", d: "devices", t: "templates", c: "check" };
const HELP = [
  ["?", "this help"], ["j, k", "next and previous link of a table"], ["Enter", "open it"], ["u", "back"], ["/", "first filter: of jobs a part of the name"],
  ["y", "copy the command that says the same"], ["g o", "overview"], ["g w", "workers"], ["g j", "jobs"], ["g h", "history"],
  ["g m", "matrix"],
  ["g d", "devices"], ["g t", "templates"], ["g c", "check"],
];

const isOff = () => localStorage.getItem(STORED) === "off";

let isAfterG = false;  // the key before was g

function move(main, step) {
  const links = [...main.querySelectorAll("tbody a")];
  const at = links.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step;
  links[Math.max(0, Math.min(links.length - 1, next))]?.focus();
}

function help() {
  const box = h("input", { type: "checkbox", checked: !isOff(), onchange: (event) => {
    if (event.target.checked) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, "off");
  } });
  const dialog = h("dialog", { "aria-label": "Keys", onclose: () => dialog.remove() },
    h("h2", {}, "Keys"),
    h("dl", {}, HELP.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("label", { class: "line" }, box, "Single letters are keys here"),
    h("form", { method: "dialog" }, h("button", { type: "submit" }, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}

// Whether it was one of ours.
function press(key, main) {
  if (isAfterG) {
    isAfterG = false;
    if (VIEWS[key] === undefined) return false;
    location.hash = `#/${VIEWS[key]}`;
    return true;
  }
  switch (key) {
    case "g": isAfterG = true; return true;
    case "j": move(main, 1); return true;
    case "k": move(main, -1); return true;
    case "u": history.back(); return true;
    case "/": main.querySelector("form input")?.focus(); return true;
    case "y": main.querySelector(".command button")?.click(); return true;
    case "?": help(); return true;
    default: return false;
  }
}

export function heedKeys(main) {
  document.getElementById("keys").addEventListener("click", help);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || isOff()) return;
    if (event.target.matches("input, select, textarea") || document.querySelector("dialog[open]")) return;
    if (press(event.key, main)) event.preventDefault();
  });
}
