// Conflicts, flags and events of an item in words.
import { post } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { opinionInShort } from "../shared/sentences.js";
import { sign } from "../shared/signs.js";
import { capital, count, list, nameOf } from "../shared/words.js";

const REASONS = { question: "The question makes no sense", text: "The text is broken or missing", rule: "A rule looks wrong", other: "Something else" };

const labelsOf = (conflict) => [...new Set(conflict.opinions.map((one) => one.label))];

/** "“robin”: Bird or Trout?" */
export function titleOf(onto, { item, conflict }) {
  return `${nameOf(item)}: ${list(onto.named(labelsOf(conflict)), { last: conflict.kind === "clash" ? "or" : "and", most: 4 })}?`;
}

const who = (name) => (name === "import" ? "the import" : name);

/** "Ana says Bird, Ben says Trout. 2 answers and 2 rules clash." */
export function whatIsSaid(onto, { conflict, waiting }) {
  const held = waiting ? ` Holds back ${count(waiting, "label")}.` : "";
  if (conflict.kind === "disagreement" && conflict.opinions.some((one) => one.picked)) {
    return capital(`${list(conflict.opinions.map((one) => `${who(one.who)} says ${opinionInShort(onto, one)}`), { most: 4 })}.${held}`);
  }
  if (conflict.kind === "disagreement") {
    const by = (value) => conflict.opinions.filter((one) => one.value === value).map((one) => who(one.who));
    const says = (names) => (names.length === 1 ? "says" : "say");
    return capital(`${list(by(true))} ${says(by(true))} yes, ${list(by(false))} ${says(by(false))} no, to the same question.${held}`);
  }
  const said = conflict.opinions.map((one) => `${who(one.who)} says ${opinionInShort(onto, one)}`);
  const answers = new Set(conflict.opinions.map((one) => one.label)).size;
  return capital(`${list(said, { most: 4 })}. ${answers} answers and ${conflict.rules.length} ${conflict.rules.length === 1 ? "rule" : "rules"} clash.${held}`);
}

/** A flag or a doubt in a line; with `end` the controls after it, or a link. */
export function flagLine(onto, event, { href = null, end = null } = {}) {
  const rules = event.detail?.rules?.length ? event.detail.rules : event.detail?.rule ? [event.detail.rule] : [];
  const title = rules.length ? `Rule: ${list(rules.map((rule) => onto.sentence({ text: rule })), { most: 2 })}` : event.kind === "doubt" ? `A doubt about “${event.item}”` : REASONS[event.detail?.reason] ?? "Flagged";
  const about = `${event.kind === "doubt" ? "Doubted" : "Flagged"} by ${event.who}: “${event.item}”${event.label ? `, ${onto.name(event.label)}` : ""}.`;
  return h("li", {}, sign("flag", { kind: "quiet" }), h("div", {}, h("p", { class: "title" }, title),
    h("p", { class: "note" }, about, event.detail?.note ? ` “${event.detail.note}”` : "")),
  end ?? h("a", { class: "button small", href, "aria-label": `Review: ${title}` }, "Review"));
}

const KINDS = { gold: "gold answer", decision: "decided", fact: "imported", flag: "flagged", doubt: "doubts", undo: "takes back", unflag: "settles" };

/** Take an item out of the campaign; the words that tell of it. */
export async function withdraw(item) {
  await post("withdrawals", { items: [item] });
  return `Withdrawn: “${item}”. It is no longer asked, learnt from, counted or exported. To restore it, take this back under Answers.`;
}

/** An event in a few words: "Bird: yes". */
export function eventWords(onto, event) {
  const about = event.label === null ? "which is it" : onto.name(event.label);
  const value = typeof event.value === "boolean" ? (event.value ? "yes" : "no")
    : Array.isArray(event.value) ? list(onto.named(event.value), { most: 4 }) || "none of these" : event.value === "cant_tell" ? "can’t tell" : event.value === "skip" ? "skipped" : null;
  if (event.kind === "accept" && Array.isArray(event.value)) return `accepted as predicted: ${value}`;
  if (event.kind === "accept") return `accepted as predicted: ${list(Object.entries(event.value).map(([label, yes]) => `${yes ? "" : "not "}${onto.name(label)}`), { most: 4 })}`;
  if (event.kind === "answer") return Array.isArray(event.value) ? value : `${about}: ${value}`;
  if (event.kind === "flag") return `flagged: ${(REASONS[event.detail?.reason] ?? "").toLowerCase()}${event.detail?.note ? ` (“${event.detail.note}”)` : ""}`;
  if (event.kind === "doubt") return `doubts${event.detail?.note ? `: “${event.detail.note}”` : event.detail?.rules?.length ? ` ${list(event.detail.rules)}` : ""}`;
  if (event.kind === "withdraw") return `withdrew this item${event.detail?.reason ? ` (“${event.detail.reason}”)` : ""}`;
  if (event.kind === "undo" || event.kind === "unflag") return `${KINDS[event.kind]} ${event.refers}`;
  return `${KINDS[event.kind] ?? event.kind}, ${about}: ${value}${event.detail?.note ? ` (“${event.detail.note}”)` : ""}`;
}

/** The sign for what an event says. */
export function eventSign(event) {
  if (event.kind === "flag" || event.kind === "doubt") return sign("flag", { kind: "quiet" });
  if (event.kind === "accept") return sign("stored", { kind: "quiet" });
  if (event.value === true || (Array.isArray(event.value) && event.value.length)) return sign("yes");
  if (event.value === false || Array.isArray(event.value)) return sign("no");
  return sign("open");
}
