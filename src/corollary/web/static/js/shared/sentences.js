// Sentences about answers: their consequences before and after, and when taken back.
import { h } from "./dom.js";
import { chain } from "./reasons.js";
import { capital, count, list, nameOf, plainName } from "./words.js";

const NAMED = 6;

/** The other labels that an answer would settle, in a line: "Vertebrate and Animal too; not Mammal or Fish". */
export function wouldFollow(onto, settled, value) {
  const labels = onto.labels.filter((label) => label in settled);
  if (!labels.length) return "nothing else follows";
  const yes = labels.filter((label) => settled[label]).sort((a, b) => onto.path(b).length - onto.path(a).length);
  const no = labels.filter((label) => !settled[label]);
  const parts = [];
  const named = list(onto.named(yes), { most: NAMED });
  if (yes.length) parts.push(value ? `${named} too` : `then ${named}`);
  if (no.length) parts.push(whatNot(onto, no, { either: !value && !yes.length }));
  return parts.join("; ");
}

/** "not Mammal, Fish, nor 3 labels under them". */
function whatNot(onto, no, { either }) {
  const tops = onto.named(no.filter((label) => !onto.parents(label).some((up) => no.includes(up))));
  const under = no.length - tops.length;
  const end = either ? " either" : "";
  if (tops.length > NAMED) return `not ${list(tops, { most: NAMED, last: "nor", more: "more labels" })}${end}`;
  if (under > 2) return `not ${tops.join(", ")}, nor ${count(under, "label")} under ${tops.length === 1 ? "it" : "them"}${end}`;
  return `not ${list(onto.named(no), { last: "or" })}${end}`;
}

/** "“alder” is a Plant" as nodes, the label in italics; other kinds of answers in their words. */
export function statement(onto, act) {
  const { item, label, value } = act;
  const name = nameOf(item);
  if (act.kind === "flag") return [`flag on ${name}`];
  if (label === null) return typeof value === "string" ? [`${setAside(value)} ${name}`] : wholeStatement(onto, name, value);
  if (value === "skip") return ["skip of ", ...onto.grammar.withLabel(`${name}, ${onto.name(label)}`, label)];
  if (value === "cant_tell") return ["can’t tell if ", ...onto.grammar.withLabel(`${name} ${onto.grammar.is(label)}`, label)];
  return onto.grammar.withLabel(`${name} ${onto.grammar.is(label, value)}`, label);
}

/** Someone's statement about an item, as they said it: "“robin” is a Bird", "“robin” is none of these". */
export function opinionWords(onto, item, { label, value, picked }) {
  if (!picked) return `${nameOf(item)} ${onto.grammar.is(label, value)}`;
  return `${nameOf(item)} ${picked.length ? onto.grammar.is(picked[0]) : "is none of these"}`;
}

/** The same in short: "Bird", "not Bird", "none of these". */
export const opinionInShort = (onto, { label, value, picked }) => (picked ? list(onto.named(picked)) || "none of these" : `${value ? "" : "not "}${onto.name(label)}`);

const setAside = (value) => (value === "skip" ? "skip of" : "can’t tell of");

function wholeStatement(onto, name, labels) {
  if (!labels.length) return [`${name} is none of these`];
  const [first, ...rest] = labels;
  if (rest.length) return [`${name} is `, h("em", {}, list(onto.named(labels), { most: 4 }))];
  return onto.grammar.withLabel(`${name} ${onto.grammar.is(first)}`, first);
}

/** "card arrival for “Where is my card?”" as nodes. */
function picked(onto, { item, value }) {
  return [value.length ? h("em", {}, onto.name(value[0])) : "none of these", ` for ${nameOf(item)}`];
}

/** The labels that an answer settled: {mark, text, short, done, lines}, the texts as nodes. */
export function afterAnswer(onto, act, { done = false } = {}) {
  const { item, value } = act;
  const said = () => h("span", {}, "You said ", statement(onto, act), ". ");
  if (act.pick) return { mark: "logic", text: ["You picked ", ...picked(onto, act)] };
  if (act.kind === "flag") return { mark: "flag", text: [`${nameOf(item)} is flagged. You are not asked about it again.`] };
  if (value === "cant_tell") return { mark: "open", text: ["You ", ...statement(onto, act), ". Nothing is settled; someone else may get the question."] };
  if (value === "skip") return { mark: "open", text: [`${nameOf(item)} comes back at the end.`] };
  if (act.settled === null) return { mark: value === false ? "no" : "yes", text: [said()] };
  const total = Object.keys(act.settled).length + (act.label === null ? 0 : 1);
  const figure = () => h("b", {}, count(total, "label"));
  const lines = linesOf(onto, act);
  if (done) return { mark: "logic", done, text: [said(), "That settled the last ", figure(), `: ${plainName(item)} is done. `], lines };
  if (!lines) return { mark: "logic", text: [said(), "That settled ", figure(), "."] };
  if (total === 1) return { mark: value ? "yes" : "no", text: [said(), "That settled ", figure(), "; nothing else follows."] };
  return {
    mark: "logic",
    text: [said(), "That settled ", figure(), ": ", inShort(onto, lines), "."],
    short: [said(), "That settled ", figure(), "."],
    lines,
  };
}

function linesOf(onto, act) {
  if (act.label === null || !act.settled) return null;
  return chain(onto, act, act.settled, new Map(act.known ?? []));
}

/** "it is Living (every Plant is) and not an Animal (no Plant is), so none of the 12 labels under Animal". */
function inShort(onto, lines) {
  const { grammar } = onto;
  const [answer, ...rest] = lines;
  const [said] = answer.labels;
  const named = (labels, last) => list(labels.map((label) => grammar.bare(label)), { last, most: 4 });
  const labelsOf = (kinds, test = () => true) =>
    rest.filter((line) => kinds.includes(line.reason.kind) && test(line)).flatMap((line) => line.labels);
  let text = "";
  const say = (glue, part) => { text += `${text ? glue : "it is "}${part}`; };

  const above = labelsOf(["up"]);
  if (above.length) say("", `${named(above)} (${grammar.every(said)} is)`);
  const beside = labelsOf(["apart"], (line) => line.reason.from[0] === said);
  if (beside.length) say(" and ", `not ${named(beside, "or")} (${grammar.no(said)} is)`);
  const further = labelsOf(["apart"], (line) => line.reason.from[0] !== said);
  if (further.length) say(beside.length ? ", nor " : " and not ", list(further.map((label) => grammar.bare(label)), { last: "or", most: 3 }));
  const under = labelsOf(["down"]);
  if (under.length === 1) say(", so ", `not ${named(under)}`);
  else if (under.length) say(", so ", `none of the ${count(under.length, "label")} under ${tops(onto, rest, under)}`);
  for (const value of [true, false]) {
    const others = labelsOf(["rule", "other"], (line) => line.value === value);
    if (others.length) say(", and ", `${value ? "" : "not "}${named(others, value ? "and" : "or")} by the other rules`);
  }
  return text;
}

/** The labels under which others fall away. */
function tops(onto, lines, under) {
  const from = lines.filter((line) => line.reason.kind === "down").flatMap((line) => line.reason.from);
  const found = [...new Set(from)].filter((top) => !under.includes(top));
  return found.length > 2 ? "them" : list(onto.named(found));
}

/** Where a line of a chain comes from: "from line 2 · rule: nothing is both a Plant and an Animal". */
export function whence(onto, line, lines) {
  const { reason } = line;
  if (!reason) return "you, just now";
  const at = (label) => lines.findIndex((one) => one.labels.includes(label)) + 1;
  const from = [...new Set(reason.from.map(at))].filter((n) => n > 1);
  const before = from.length ? `from line ${list(from.map(String))} · ` : "";
  const { grammar } = onto;
  switch (reason.kind) {
    case "up":
      return `${before}rule: ${grammar.every(reason.from[0])} ${grammar.is(line.labels[0])}`;
    case "apart":
      return line.labels.length === 1
        ? `${before}rule: nothing is both ${grammar.bare(reason.from[0])} and ${grammar.bare(line.labels[0])}`
        : `${before}rule: ${grammar.no(reason.from[0])} is any of them`;
    case "down":
      return `${before}${line.labels.length === 1 ? "it is" : "each is"} under ${onto.name(reason.from[0])}`;
    case "rule":
      return `${before}rule: ${onto.sentence(reason.rule)}`;
    default:
      return "by several rules together";
  }
}

/** "so it is not Vertebrate, Insect, Bird and 9 more". */
export function lineWords(onto, line, item) {
  const { labels, value } = line;
  if (!line.reason) return `${nameOf(item)} ${onto.grammar.is(labels[0], value)}`;
  if (labels.length === 1) return `so it ${onto.grammar.is(labels[0], value)}`;
  return `so it is ${value ? "" : "not "}${list(onto.named(labels), { most: 4, last: value ? "and" : "nor" })}`;
}

/** The effect of an undo. */
export function afterUndo(onto, act, opened) {
  if (act.pick) return { mark: "undo", text: ["Taken back: ", ...picked(onto, act)] };
  const what = ["Taken back: ", ...statement(onto, act)];
  if (opened === null || typeof act.value === "string") return { mark: "undo", text: [...what, "."] };
  if (opened === 0) return { mark: "undo", text: [...what, ". Nothing had followed from it."] };
  return { mark: "undo", text: [...what, ", and the ", h("b", {}, count(opened, "label")), " that followed from it. Nothing else changed."] };
}

/** "Is “robin” a Bird? You said yes, as a second opinion. ..." for what does not count by itself. */
export function setBeside(onto, { item, label, value }, { second, tail }) {
  const said = typeof value === "boolean" ? (value ? "yes" : "no") : "that";
  const question = onto.grammar.withLabel(onto.grammar.question(item, label), label ?? "");
  return { mark: value === false ? "no" : "yes", text: [...question, " You said ", h("b", {}, said), `${second ? ", as a second opinion" : ""}. ${tail}`] };
}
