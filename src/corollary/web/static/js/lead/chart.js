// Items, or labels of items, settled by questions asked: answered solid, implied hatched, the forecast as a band. Drawn at its own width.
import { h, put, s } from "../shared/dom.js";
import { capital, count, number } from "../shared/words.js";
import { ahead, at, inUnits, left, ticks } from "./scale.js";

const ROOM = { right: 14, top: 30, bottom: 42 };
const LINE = 17; // between two lines of text
const LETTER = 7.7; // the width of one, at most
const wide = (words) => Math.ceil(LETTER * words.length);

/** The chart, which draws itself anew when its width changes; `draw` shows new figures. */
export function chart() {
  const box = h("div", { class: "chart" });
  let progress = null;
  let drawn = 0;
  const draw = () => {
    const width = Math.floor(box.clientWidth);
    if (progress && width > 0) {
      drawn = width;
      put(box, drawing(progress, width));
    }
  };
  new ResizeObserver(() => { if (Math.floor(box.clientWidth) !== drawn) draw(); }).observe(box);
  return { box, draw: (now) => { progress = inUnits(now); draw(); } };
}

function drawing(progress, width) {
  const height = Math.round(Math.min(430, Math.max(300, width * 0.74)));
  const future = ahead(progress);
  const end = left(progress);
  const right = Math.max(future?.at(-1)[0] ?? 0, progress.asked * 1.15, 20);
  const up = ticks(progress.cells * 0.86, Math.max(2, Math.floor(height / 90)));
  const start = Math.max(30, 12 + wide(number(up.at(-1)))); // so that the longest number on the left is whole
  const x = (asked) => start + (asked / right) * (width - start - ROOM.right);
  const y = (settled) => height - ROOM.bottom - (settled / Math.max(progress.cells, 1)) * (height - ROOM.top - ROOM.bottom);
  const parts = [axes(progress, { x, y, width, start, right, up }), past(progress, x, y), future && band(future, x, y), now(progress, { x, y, width, start, height }), captions(progress, future && end, width)];
  return s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": "chart-title chart-desc" },
    s("title", { id: "chart-title" }, `${capital(progress.unit.many)} ${progress.unit.settled} by questions asked`), s("desc", { id: "chart-desc" }, describe(progress, end)), hatch(), parts);
}

/** Over the plot: how many cells there are, and when all are settled, as far as there is room for it. */
function captions(progress, end, width) {
  const all = count(progress.cells, progress.unit.one, progress.unit.many);
  const asked = (n) => number(progress.asked + n);
  const ways = end ? [`all ${progress.unit.settled} at ${asked(end.questions)} (${asked(end.low)} to ${asked(end.high)})`, `all ${progress.unit.settled} at ${asked(end.questions)}`, `all at ${asked(end.questions)}`] : [];
  const fitting = ways.find((words) => wide(all) + wide(words) + 16 < width - ROOM.right);
  return s("g", {}, text(0, ROOM.top - 10, all, "strong"), fitting && text(width - ROOM.right, ROOM.top - 10, fitting, "end strong"));
}

function describe(progress, end) {
  const parts = progress.one ? "" : `: ${number(progress.settled - progress.implied)} answered${progress.accepted ? ", imported or accepted" : progress.imported ? " or imported" : ""} and ${number(progress.implied)} implied`;
  const so = `After ${number(progress.asked)} questions ${number(progress.settled)} of ${count(progress.cells, progress.unit.one, progress.unit.many)} are ${progress.unit.settled}${parts}.`;
  return end && progress.open ? `${so} By the forecast all are ${progress.unit.settled} after ${number(progress.asked + end.questions)} questions, between ${number(progress.asked + end.low)} and ${number(progress.asked + end.high)}. The table has the same in numbers.` : `${so} The table has the same in numbers.`;
}

const hatch = () => s("defs", {}, s("pattern", { id: "hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
  s("rect", { class: "hatch-ground", width: 7, height: 7 }), s("line", { class: "hatch-line", x1: 0, y1: 0, x2: 0, y2: 7 })));

function text(x, y, words, kind = "") {
  return s("text", { x: Math.round(x), y: Math.round(y), class: kind }, words);
}

function axes(progress, { x, y, width, start, right, up }) {
  const across = ticks(right, Math.max(2, Math.floor((width - start) / Math.max(90, wide(number(Math.round(right))) + 24))));
  const anchor = (n) => (x(n) + wide(number(n)) / 2 > width ? "end" : "middle");
  return s("g", { class: "axes" },
    up.map((n) => [s("line", { class: n ? "grid" : "base", x1: start, x2: width - ROOM.right, y1: y(n), y2: y(n) }), text(start - 8, y(n) + 4, number(n), "end")]),
    s("line", { class: "top", x1: start, x2: width - ROOM.right, y1: y(progress.cells), y2: y(progress.cells) }),
    across.map((n) => [s("line", { class: "tick", x1: x(n), x2: x(n), y1: y(0), y2: y(0) + 4 }), text(anchor(n) === "end" ? width - 2 : x(n), y(0) + 18, number(n), anchor(n))]),
    text(width - ROOM.right, y(0) + 36, "questions asked", "end"));
}

const line = (points) => points.map(([px, py], n) => `${n ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join(" ");

function past(progress, x, y) {
  const { asked, answered, settled } = progress.figures.curve;
  const upper = asked.map((n, i) => [x(n), y(settled[i])]);
  const lower = asked.map((n, i) => [x(n), y(answered[i])]);
  const ground = [[x(asked.at(-1)), y(0)], [x(0), y(0)]];
  return s("g", {},
    s("path", { class: "implied", d: `${line([...upper, ...lower.toReversed()])} Z`, fill: "url(#hatch)" }),
    s("path", { class: "settled-line", d: line(upper) }),
    s("path", { class: "answered", d: `${line([...lower, ...ground])} Z` }));
}

function band(future, x, y) {
  const path = (n) => future.map((point) => [x(point[0]), y(point[n])]);
  const [middle, low, high] = [path(1), path(2), path(3)];
  const place = future[Math.min(future.length - 1, Math.ceil(future.length * 0.4))];
  const [px, py] = [x(place[0]), y(place[2])];
  return s("g", {},
    s("path", { class: "band", d: `${line([...high, ...low.toReversed()])} Z` }),
    s("path", { class: "band-edge", d: line(low) }), s("path", { class: "band-edge", d: line(high) }),
    s("path", { class: "band-middle", d: line(middle) }),
    text(px + 12, py + 26, "forecast", "quiet"));
}

/** The line of today, with its figures in words on one side, a line apart, whatever they are. */
function now(progress, { x, y, width, start, height }) {
  const { asked, answered, settled } = progress.figures.curve;
  const [n, said, known] = [asked.at(-1), answered.at(-1), settled.at(-1)];
  const px = x(n);
  const base = height - ROOM.bottom;
  const words = progress.one ? [`now: ${number(known)} labelled`, ...(progress.unasked ? [`${number(progress.unasked)} accepted`] : [])]
    : [`now: ${number(known)} settled`, `${number(known - said)} implied`, `${number(said)} answered${progress.accepted ? ", imported or accepted" : progress.imported ? " or imported" : ""}`];
  const room = Math.max(...words.map(wide)) + 10;
  const toRight = px + room < width || px - room < start;
  const beside = Math.min(Math.max(px + (toRight ? 8 : -8), toRight ? 0 : room), toRight ? width - room : width);
  const onGround = toRight ? (y(said) + base) / 2 + 4 : y(said) - 7; // words over the dark area are hard to read
  const atTop = y(known) + (toRight ? 18 : -8); // the forecast rises to the right of the dot
  const places = apart([atTop, (y(known) + y(said)) / 2 + 4, onGround], ROOM.top + LINE, base - 8);
  return s("g", {},
    s("line", { class: "now", x1: px, x2: px, y1: y(known), y2: base }),
    s("circle", { class: "dot", cx: px, cy: y(known), r: 4 }),
    words.map((one, i) => text(beside, places[i], one, `halo strong ${toRight ? "" : "end"}`)));
}

/** Heights from the top down, moved as little as it takes to be a line apart and between top and bottom. */
function apart(heights, top, bottom) {
  const places = [...heights];
  for (let n = places.length - 1; n >= 0; n -= 1) places[n] = Math.min(places[n], (places[n + 1] ?? bottom + LINE) - LINE);
  for (let n = 0; n < places.length; n += 1) places[n] = Math.max(places[n], (places[n - 1] ?? top - LINE) + LINE);
  return places;
}

/** The same in numbers: a real table. */
export function numbers(now) {
  const progress = inUnits(now);
  const { curve } = progress.figures;
  const future = ahead(progress);
  const cells = (answered, settled) => (progress.one ? h("td", {}, number(settled)) : [h("td", {}, number(answered)), h("td", {}, number(settled - answered)), h("td", {}, number(settled))]);
  const steps = ticks(progress.asked, 8).slice(1).filter((n) => n < progress.asked);
  const rows = steps.map((n) => {
    const [answered, settled] = [curve.answered, curve.settled].map((series) => Math.round(at(curve.asked, series, n)));
    return h("tr", {}, h("th", { scope: "row" }, number(n)), cells(answered, settled));
  });
  rows.push(h("tr", { class: "today" }, h("th", { scope: "row" }, `now ${number(progress.asked)}`), cells(curve.answered.at(-1), curve.settled.at(-1))));
  return h("table", { class: "numbers" }, h("caption", {}, "The same in numbers"),
    h("thead", {}, h("tr", {}, (progress.one ? ["Asked", "Labelled"] : ["Asked", "Answered", "Implied", "Settled"]).map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, rows), future && forecastRows(progress, future));
}

function forecastRows(progress, future) {
  const columns = [0, 1, 2, 3].map((n) => future.map((point) => point[n]));
  const last = columns[0].at(-1);
  const steps = ticks(last, 7).filter((n) => n > progress.asked).slice(0, 4);
  return h("tbody", {}, h("tr", {}, h("th", { class: "subhead", colspan: progress.one ? "2" : "4", scope: "rowgroup" }, "Forecast")),
    steps.map((n) => {
      const [middle, low, high] = [1, 2, 3].map((c) => Math.round(at(columns[0], columns[c], n)));
      return h("tr", {}, h("th", { scope: "row" }, number(n)), progress.one ? h("td", {}, number(middle), h("span", { class: "quiet" }, ` (${number(low)} to ${number(high)})`)) : [h("td", { class: "quiet", colspan: "2" }, `${number(low)} to ${number(high)}`), h("td", {}, number(middle))]);
    }));
}
