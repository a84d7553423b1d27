// The label's place in the ontology: labels above, beside and below, with the item's known labels marked.
import { h } from "../shared/dom.js";
import { reasonFor } from "../shared/reasons.js";
import { sign } from "../shared/signs.js";
import { list } from "../shared/words.js";

const IN_A_ROW = 6;
const NAMES = { yes: "yes:", no: "no:", open: "open:", now: "asked now:" };

/** The item's known labels, if the question has them: label -> value, and how it is known. */
export function knownOf(question) {
  const known = new Map();
  const { place, known: shown } = question;
  for (const { label, value } of [place?.path, place?.children, place?.siblings].flatMap((marks) => marks ?? [])) {
    if (value !== null) known.set(label, value);
  }
  for (const { label, value } of shown ?? []) if (value !== null) known.set(label, value);
  return known;
}

/** The tree around a label; `question` has the known labels. */
export function placeOf(onto, question) {
  const { label } = question;
  const view = { onto, label, known: knownOf(question), sources: new Map((question.known ?? []).map((one) => [one.label, one])) };
  const path = onto.path(label);
  const top = branch(view, [...path, label]);
  return h("ul", { class: "place", "aria-label": `The place of ${onto.name(label)} in the ontology` }, top, otherRoots(view, path[0] ?? label));
}

/** One label of the path, with the labels under it. */
function branch(view, path) {
  const [here, next] = path;
  const under = next === undefined
    ? rows(view, view.onto.children(here))
    : [branch(view, path.slice(1)), ...rows(view, view.onto.children(here).filter((one) => one !== next), { beside: next === view.label })];
  return h("li", {}, entry(view, [here]), under.length ? h("ul", {}, under) : null);
}

/** Labels side by side: those that are open in one row, those that are known in one row for each reason. */
function rows(view, labels, { beside = false } = {}) {
  const groups = new Map();
  for (const label of labels) {
    const value = view.known.get(label);
    const note = value === undefined ? (beside && view.onto.apart(label, view.label) ? `can’t be ${view.onto.name(view.label)} too` : "") : noteOn(view, label, value);
    const key = `${value}|${note?.text ?? note}`;
    groups.set(key, [...(groups.get(key) ?? []), label]);
  }
  return [...groups.values()].map((group) => h("li", {}, entry(view, group, { beside })));
}

/** Other ends of the ontology that have to do with this one: known, or never true beside the label. */
function otherRoots(view, root) {
  const { onto, known, label } = view;
  const ups = [label, ...onto.above(label)];
  const related = onto.roots.filter((one) => one !== root && (known.has(one) || ups.some((up) => onto.excludes(one, up))));
  const derived = new Map(known);
  for (const one of related) {
    if (!derived.has(one) && ups.some((up) => known.get(up) === true && onto.excludes(one, up))) derived.set(one, false);
  }
  return rows({ ...view, known: derived }, related, { beside: true });
}

/** One row: the sign, the names, and where it comes from. */
function entry(view, labels, { beside = false } = {}) {
  const [first] = labels;
  const now = first === view.label;
  const value = view.known.get(first);
  const mark = now ? "now" : value === undefined ? "open" : value ? "yes" : "no";
  const names = list(view.onto.named(labels), { most: IN_A_ROW, last: "and" }).replace(" and ", labels.length > IN_A_ROW ? " and " : ", ");
  const also = now ? view.onto.parents(first).slice(1) : [];
  const apart = beside && value === undefined && view.onto.apart(first, view.label);
  return h("span", { class: now ? "entry now" : "entry", ...(now ? { "aria-current": "true" } : {}) },
    sign(mark, { named: NAMES[mark] }), h("span", { class: "names" }, names),
    value !== undefined && !now ? noteNode(noteOn(view, first, value)) : null,
    apart ? h("span", { class: "note" }, `can’t be ${view.onto.name(view.label)} too`) : null,
    also.length ? h("span", { class: "note" }, `also under ${list(view.onto.named(also))}`) : null);
}

const noteNode = (note) => note && h("span", { class: "note" }, note.follows ? sign("logic") : null, note.text);

/** Where a value comes from, if a few words can say it. */
function noteOn(view, label, value) {
  const source = view.sources.get(label);
  if (source?.source === "asked") return { text: source.who ? `${source.who} said so` : "answered" };
  const { onto, known } = view;
  const reason = reasonFor(onto, label, value, known);
  if (reason?.kind === "apart") return { follows: true, text: `${onto.grammar.no(reason.from[0])} is ${onto.grammar.bare(label)}` };
  if (reason?.kind === "up") return { follows: true, text: `${onto.grammar.every(reason.from[0])} is` };
  if (reason?.kind === "down") return { follows: true, text: `not ${onto.name(reason.from[0])}` };
  return source?.source === "implied" ? { follows: true, text: "it follows" } : null;
}
