// The table of labels, which can be sorted, the table of people, in order of name, and that of machines.
import { h, put, s } from "../shared/dom.js";
import { sign } from "../shared/signs.js";
import { number, percent, when } from "../shared/words.js";
import { fixed, redraw, scroller, seconds, share, since } from "./sheet.js";

/** A bar: answered, a gap, implied; the rest is open. The numbers are printed beside it. */
export function bar(answered, implied, all) {
  const part = (n) => (all ? (100 * n) / all : 0);
  const gap = answered && implied ? 1.2 : 0;
  return s("svg", { class: "share", "aria-hidden": "true", preserveAspectRatio: "none", viewBox: "0 0 100 10" },
    s("rect", { class: "open", width: 100, height: 10 }), s("rect", { class: "answered", width: part(answered), height: 10 }),
    s("rect", { class: "implied", x: part(answered) + gap, width: Math.max(part(implied) - gap, 0), height: 10 }));
}

/** The settled share of a label. */
export const settledShare = (one) => {
  const all = one.yes + one.no + one.open;
  return percent(one.yes + one.no, all);
};

const COLUMNS = [
  { key: "label", words: "Label" },
  { key: "settled", words: "Settled", of: (one) => one.yes + one.no, span: 2 },
  { key: "yes", words: "Yes" }, { key: "no", words: "No" }, { key: "open", words: "Open" },
  { key: "answered", words: "Answered" }, { key: "implied", words: "Implied" },
  { key: "alpha", words: "Agreement α" }, { key: "accuracy", words: "Accuracy, est." },
  { key: "predicted", words: "Predicted" }, { key: "sure", words: "Sure, est." },
];

const OPEN_UP_TO = 40; // labels: a longer table is folded
const AT_ONCE = 200;

/**
 * The table of labels; `draw` shows new figures. In the ontology's order a label follows its parent. A long one
 * is folded, and a very long one is shown in parts: the browser is slow with thousands of rows.
 */
export function labelTable(onto) {
  const table = h("table", { class: "labels" });
  const more = h("button", { class: "button", type: "button", hidden: true, onclick: () => { most += AT_ONCE; draw(); } });
  const scrolling = scroller("Table of labels", table);
  const small = onto.labels.length <= OPEN_UP_TO;
  const place = small ? scrolling : h("details", { class: "fold", ontoggle: () => draw() }, h("summary", {}, `All ${number(onto.labels.length)} labels`), scrolling, more);
  let rows = [];
  let sorted = { key: "label", down: false };
  let most = AT_ONCE;

  function draw(now = rows) {
    rows = now;
    if (!small && !place.open) return;
    const shown = inOrder();
    redraw(table, h("thead", {}, h("tr", {}, COLUMNS.map(head))), h("tbody", {}, shown.slice(0, most).map((one) => row(one, sorted.key === "label" && !sorted.down ? onto.path(one.label).length : 0, onto.name(one.label)))));
    more.hidden = shown.length <= most;
    put(more, `Show ${number(Math.min(AT_ONCE, shown.length - most))} of ${number(shown.length - most)} more`);
  }

  function head(column) {
    const on = column.key === sorted.key;
    const order = on ? (sorted.down ? "descending" : "ascending") : null;
    return h("th", { scope: "col", "aria-sort": order, colspan: column.span ?? null, class: column.span ? "start" : null },
      h("button", { type: "button", class: "sort", "data-key": `sort-${column.key}`, onclick: () => {
        sorted = { key: column.key, down: on ? !sorted.down : column.key !== "label" };
        draw();
      } }, column.words, on ? sign(sorted.down ? "down" : "up") : null));
  }

  function inOrder() {
    if (sorted.key === "label") return sorted.down ? rows.toReversed() : treeOrder();
    const { of = (one) => one[sorted.key] } = COLUMNS.find((one) => one.key === sorted.key);
    const value = (one) => of(one) ?? (sorted.down ? -Infinity : Infinity);
    return rows.toSorted((a, b) => (sorted.down ? value(b) - value(a) : value(a) - value(b)));
  }

  function treeOrder() {
    const by = new Map(rows.map((one) => [one.label, one]));
    const found = [];
    const visit = (label) => {
      if (!by.has(label)) return;
      found.push(by.get(label));
      by.delete(label);
      onto.children(label).forEach(visit);
    };
    onto.roots.forEach(visit);
    return [...found, ...by.values()];
  }

  return { place, draw };
}

function row(one, depth, called) {
  const all = one.yes + one.no + one.open;
  const name = h("th", { scope: "row" }, h("span", { class: "indent" }, called));
  name.style.setProperty("--depth", Math.min(depth, 6));
  return h("tr", {}, name, h("td", { class: "bar-cell" }, bar(one.answered, one.implied, all)), h("td", {}, settledShare(one)),
    one.never_yes ? h("td", { class: "look" }, "never") : h("td", {}, number(one.yes)), h("td", {}, number(one.no)), h("td", {}, number(one.open)),
    h("td", {}, number(one.answered)), h("td", {}, number(one.implied)),
    one.alpha === null ? h("td", { class: "quiet" }, "too few") : h("td", { class: one.low ? "look" : null }, fixed(one.alpha), one.low ? " low" : ""),
    one.accuracy === null ? h("td", { class: "quiet" }, "too few") : h("td", {}, share(one.accuracy)),
    predictedCell(one.predicted, number), predictedCell(one.sure, share));
}

/** The figures of the model's predictions; none before the first model. */
const predictedCell = (value, words) => (value === null ? h("td", { class: "quiet" }, "no model") : h("td", {}, words(value)));

/** The table as a file. */
export function labelsAsCsv(rows, onto) {
  const harmless = (text) => (/^'*[=+\-@\t\r\n]/.test(text) ? `'${text}` : text); // no spreadsheet takes it for a formula
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const names = ["label", "yes", "no", "open", "answered", "implied", "overlap", "alpha", "accuracy", "predicted", "sure", "conflicts", "name"];
  const lines = rows.map((one) => ({ ...one, name: onto.name(one.label) })).map((one) => names.map((name) => quoted(harmless(String(one[name] ?? "")))).join(","));
  return new Blob([`${names.join(",")}\r\n${lines.join("\r\n")}\r\n`], { type: "text/csv" });
}

/** Whether someone answers now, since when not, or what else they are. */
export function stateOf(one) {
  if (one.state === "revoked") return "no longer takes part";
  if (one.paused) return one.paused_since ? `paused since ${when(one.paused_since, { just: false })}` : "paused";
  if (one.role === "reader") return "reads";
  if (!one.last) return "nothing yet";
  const idle = Date.now() - new Date(one.last);
  return idle < 5 * 60_000 ? "answering" : `idle ${since(one.last)}`;
}

/** People and what they did; no ranking. */
export function peopleTable(people) {
  const heads = ["Name", "State", "Answers", "Labels settled", "Median time", "Can’t tell", "Yes", "Agreement α", "Reliability, est.", "In conflicts", "Note"];
  return scroller("Table of people", h("table", { class: "people" },
    h("thead", {}, h("tr", {}, heads.map((one, n) => h("th", { scope: "col", class: n < 2 || n === 10 ? "start" : null }, one)))),
    h("tbody", {}, people.map((one) => h("tr", {},
      h("th", { scope: "row" }, one.name), h("td", { class: "start" }, stateOf(one)), h("td", {}, number(one.answers)), h("td", {}, number(one.settled)),
      h("td", {}, one.median === null ? "" : seconds(one.median)),
      h("td", {}, number(one.cant_tell), one.answers ? h("span", { class: "quiet" }, ` (${share(one.cant_tell / one.answers)})`) : ""),
      h("td", {}, one.yes_rate === null ? "" : share(one.yes_rate, 0)),
      agreement(one), h("td", { class: one.reliability === null ? "quiet" : null }, one.reliability === null ? "too few" : share(one.reliability)),
      h("td", {}, number(one.conflicts)), h("td", { class: "start" }, notes(one)))))));
}

/** Machines that are witnesses, and how far the model in use trusts each; a vote says which label of a group holds. */
export function witnessTable(witnesses) {
  const heads = ["Name", "Cells", "Items", "Vote right", "Right where yes", "Right where no", "Probably wrong", "Added by", "Last"];
  const right = (value, [low, high]) => [share(value, 0), h("span", { class: "quiet" }, ` (${share(low, 0)} to ${share(high, 0)})`)];
  return scroller("Table of machines", h("table", { class: "people" },
    h("thead", {}, h("tr", {}, heads.map((one, n) => h("th", { scope: "col", class: n < 1 || n > 6 ? "start" : null }, one)))),
    h("tbody", {}, witnesses.map(({ name, cells, items, at, by, trust }) => h("tr", {},
      h("th", { scope: "row" }, name), h("td", {}, number(cells)), h("td", {}, number(items)),
      trust ? [h("td", {}, trust.votes ? right(trust.right, trust.right_interval) : ""), h("td", {}, right(trust.sensitivity, trust.sensitivity_interval)), h("td", {}, right(trust.specificity, trust.specificity_interval)), h("td", {}, trust.answers ? share(trust.wrong / trust.answers, 0) : "")]
        : h("td", { class: "quiet", colspan: 4 }, "weighed by the next model"),
      h("td", { class: "start" }, by), h("td", { class: "start" }, when(at)))))));
}

function agreement(one) {
  const alpha = one.alpha_implied ?? one.alpha;
  if (alpha === null) return h("td", { class: "quiet" }, "too few");
  return h("td", { class: alpha < 0.667 ? "look" : null }, fixed(alpha), alpha < 0.667 ? " low" : "");
}

function notes(one) {
  const gold = one.gold_right + one.gold_wrong;
  return [one.too_fast && h("b", { class: "look" }, `${share(one.fast, 0)} under 1 s`),
    gold > 0 && h("span", { class: one.gold_wrong > one.gold_right ? "look" : null }, `${one.too_fast ? "; " : ""}gold ${number(one.gold_right)} of ${number(gold)}`)];
}
