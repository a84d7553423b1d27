// Keys: which key does what, changed by whoever likes, off for whoever needs. Layers on top take keys first.
import { h } from "./dom.js";
import { local } from "../offline/browser_storage.js";

const SLOT = "corollary.keys";

/** The actions with keys: their words and default keys. */
export const ACTIONS = {
  yes: { words: "Yes", keys: ["Y", "A"] },
  no: { words: "No", keys: ["N", "X"] },
  cant_tell: { words: "Can’t tell", keys: ["Space"] },
  skip: { words: "Skip for now", keys: ["S"] },
  flag: { words: "Flag", keys: ["F"] },
  undo: { words: "Undo", keys: ["U", "Backspace"] },
  why: { words: "Why", keys: ["W"] },
  history: { words: "History", keys: ["H"] },
  filter: { words: "Filter, find", keys: ["/"] },
  tree: { words: "All options, as a tree", keys: ["T"] },
  guidelines: { words: "Guidelines", keys: ["G"] },
  keys: { words: "This list", keys: ["?"] },
  close: { words: "Close", keys: ["Esc"] },
};

const FIXED = new Set(["close"]); // works in text fields too, and cannot be lost
const NAMES = { " ": "Space", Escape: "Esc", ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
const ALONE = new Set(["Shift", "Control", "Alt", "Meta", "CapsLock", "Tab", "Dead", "Process", "Unidentified"]);

const layers = [];
let settings = local.get(SLOT, {});

export const areOn = () => settings.off !== true;

/** The keys of an action. */
export const keysOf = (action) => settings.keys?.[action] ?? ACTIONS[action].keys;

/** Put an action's keys elsewhere, or all keys on or off, or everything back. */
export function change(changes) {
  settings = changes === null ? {} : { ...settings, ...changes };
  local.set(SLOT, settings);
  document.documentElement.classList.toggle("keys-off", !areOn());
}

export function setKeys(action, keys) {
  const others = Object.fromEntries(
    Object.keys(ACTIONS).filter((one) => one !== action && keysOf(one).some((key) => keys.includes(key)))
      .map((one) => [one, keysOf(one).filter((key) => !keys.includes(key))]),
  );
  change({ keys: { ...settings.keys, ...others, [action]: keys } });
}

/** The name of the key that was pressed, as the key caps show it; null for keys that do nothing alone. */
export function nameOfKey(event) {
  if (ALONE.has(event.key)) return null;
  return NAMES[event.key] ?? (event.key.length === 1 ? event.key.toUpperCase() : event.key);
}

/** Let a view take keys: by action ("yes") or by key ("1"). The function that comes back ends it. */
export function layer(handlers) {
  const one = { handlers };
  layers.push(one);
  return () => {
    const at = layers.indexOf(one);
    if (at >= 0) layers.splice(at, 1);
  };
}

/** The caps that show an action's keys. */
export function caps(action, { most = 2 } = {}) {
  const keys = keysOf(action).slice(0, most);
  return keys.length ? h("span", { class: "keys", "aria-hidden": "true" }, keys.map((key) => cap(key))) : null;
}

export const cap = (key) => h("kbd", {}, key === "Backspace" ? "⌫" : key);

/** For aria-keyshortcuts; null where keys are off. */
export function shortcuts(action) {
  if (!areOn()) return null;
  return keysOf(action).join(" ") || null;
}

function isTyping(target) {
  return target.isContentEditable || target.matches?.("textarea, select, input");
}

function keepsIts(target, key) {
  return (key === "Space" || key === "Enter") && target.closest?.("button, a, summary, [role=button], [role=option]");
}

function onKey(event) {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const key = nameOfKey(event);
  if (key === null) return;
  const action = Object.keys(ACTIONS).find((one) => keysOf(one).includes(key));
  const fixed = FIXED.has(action);
  if (!fixed && (!areOn() || isTyping(event.target) || keepsIts(event.target, key))) return;
  for (const { handlers } of [...layers].reverse()) {
    const handler = handlers[key] ?? handlers[action];
    if (!handler) continue;
    event.preventDefault();
    handler(event);
    return;
  }
}

document.addEventListener("keydown", onKey);
document.documentElement.classList.toggle("keys-off", !areOn());
