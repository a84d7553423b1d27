// The signs, drawn: yes, no, open, asked now, it follows (∴), a clash (⊥), done (∎), and a few for controls.
import { s } from "./dom.js";

const line = (d, width = 1.6) =>
  s("path", { d, fill: "none", stroke: "currentColor", "stroke-width": width, "stroke-linecap": "round", "stroke-linejoin": "round" });
const disc = (cx, cy, r) => s("circle", { cx, cy, r, fill: "currentColor" });
const ring = (dashes) =>
  s("circle", { cx: 8, cy: 8, r: 6.6, fill: "none", stroke: "currentColor", "stroke-width": 1.6, "stroke-dasharray": dashes });
const inFill = (path) => {
  path.setAttribute("stroke", "var(--sign-hole, var(--on-fill))");
  return path;
};

const DRAWN = {
  yes: () => [disc(8, 8, 7.4), inFill(line("M4.6 8.3 7 10.7 11.5 5.6", 1.9))],
  no: () => [ring(), line("M5.7 5.7 10.3 10.3 M10.3 5.7 5.7 10.3", 1.8)],
  open: () => [disc(8, 8, 2.2)],
  now: () => [line("M2.5 8 H13 M8.8 3.8 13 8 8.8 12.2", 1.9)],
  logic: () => [disc(8, 3.6, 1.9), disc(3.2, 12, 1.9), disc(12.8, 12, 1.9)],
  clash: () => [s("path", { d: "M7 2.5 H9 V12 H14.5 V14 H1.5 V12 H7 Z", fill: "currentColor" })],
  done: () => [s("rect", { x: 4, y: 3, width: 7, height: 10, fill: "currentColor" })],
  stored: () => [line("M2.8 8.6 6.2 12 13.2 4.4", 1.5)],
  storing: () => [ring("1.6 2.6")],
  undo: () => [line("M5.6 2.8 2.6 5.8 5.6 8.8 M2.8 5.8 H9.6 A3.6 3.6 0 0 1 9.6 13 H7", 1.4)],
  down: () => [s("path", { d: "M4 6 H12 L8 10.5 Z", fill: "currentColor" })],
  up: () => [s("path", { d: "M4 10.5 H12 L8 6 Z", fill: "currentColor" })],
  flag: () => [line("M4 14 V2.5 H12.5 L10.5 5.8 12.5 9 H4", 1.4)],
};

/** A sign; with a name for screen readers if no word is beside it. */
export function sign(name, { named = null, kind = name } = {}) {
  const how = named ? { role: "img", "aria-label": named } : { "aria-hidden": "true" };
  return s("svg", { class: `sign sign-${kind}`, viewBox: "0 0 16 16", ...how }, DRAWN[name]());
}
