// Words for figures, lists, times, items and labels: the grammar that all sentences share.
import { h } from "./dom.js";

const QUOTED_UP_TO = 60;
const SNIPPET = 36;

export const number = (n) => n.toLocaleString("en-US");
export const count = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;
export const percent = (part, whole) => `${whole ? Math.floor((100 * part) / whole) : 0} %`;

/** "a, b and c"; at most so many by name, the rest as a number. */
export function list(names, { last = "and", most = Infinity, more = "more" } = {}) {
  const shown = names.length > most ? [...names.slice(0, most - 1), `${number(names.length - most + 1)} ${more}`] : names;
  if (shown.length < 2) return shown.join("");
  return `${shown.slice(0, -1).join(", ")} ${last} ${shown.at(-1)}`;
}

/** "just now" (where that will do), "14:05", "yesterday 16:20", "12 March 09:00". */
export function when(iso, { just = true } = {}) {
  const now = new Date();
  const at = new Date(iso);
  const time = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const days = Math.round((startOf(now) - startOf(at)) / 86_400_000);
  if (days === 0) return just && now - at < 60_000 ? "just now" : time;
  if (days === 1) return `yesterday ${time}`;
  return `${at.getDate()} ${at.toLocaleDateString("en-GB", { month: "long" })} ${time}`;
}

const startOf = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());

/** Whether an item's text is short enough to be its name. */
export const isNamed = (item) => Boolean(item.text?.trim()) && item.text.trim().length <= QUOTED_UP_TO && !item.text.includes("\n");

/** What an item is called in a sentence: “robin”, or the first words of a long text. */
export function nameOf(item) {
  const text = item.text?.trim();
  if (!text) return `“${item.id}”`;
  if (isNamed(item)) return `“${text}”`;
  const cut = text.slice(0, SNIPPET);
  return `“${cut.slice(0, Math.max(cut.lastIndexOf(" "), 12)).replace(/[\s,.;:]+$/, "")} …”`;
}

export const plainName = (item) => nameOf(item).slice(1, -1);

/** The lead by name; on one's own there is none worth naming. */
export const leadOf = ({ lead, mode }) => (mode === "single" ? null : lead) ?? "the lead";

/** What someone is called on their own page. */
export const shownName = ({ name, mode }) => (mode === "single" ? "You" : name);

const article = (label) => (/^[aeiou]/i.test(label) ? "an" : "a");

/** How labels are put in a sentence: from their own question where they have one, else with "a" or "an". */
export class Grammar {
  #phrases = new Map();
  #questions = new Map();

  constructor(labels = []) {
    for (const { label, question } of labels) {
      if (!question) continue;
      this.#questions.set(label, question);
      const found = /^Is \{item\} (.+?)(,.*)?\?$/.exec(question);
      this.#phrases.set(label, found?.[1].includes(label) ? found[1] : null);
    }
  }

  /** "a Bird", "an Animal", "something Living"; null where the label's question is no "Is {item} ...?". */
  phrase(label) {
    return this.#phrases.has(label) ? this.#phrases.get(label) : `${article(label)} ${label}`;
  }

  /** "is a Bird", "is not a Bird", or by yes and no where the label has another kind of question. */
  is(label, value = true) {
    const phrase = this.phrase(label);
    if (phrase === null) return `${value ? "is" : "is not"} “${label}”`;
    return `is ${value ? "" : "not "}${phrase}`;
  }

  /** The phrase with the label in italics, as nodes. */
  withLabel(text, label) {
    const at = text.lastIndexOf(label);
    if (at < 0) return [text];
    return [text.slice(0, at), h("em", {}, label), text.slice(at + label.length)].filter((part) => part !== "");
  }

  /** "Is “robin” a Bird?" */
  question(item, label) {
    const name = isNamed(item) ? nameOf(item) : "this";
    if (label === null) return `Which of these is ${name}?`;
    const own = this.#questions.get(label);
    return own ? own.replace("{item}", name) : `Is ${name} ${article(label)} ${label}?`;
  }

  /** "every Bird", "everything Living", "whatever is Food". */
  every(label) {
    const noun = this.#noun(label);
    if (noun) return `every ${noun}`;
    return this.phrase(label)?.startsWith("something ") ? `everything ${this.bare(label)}` : `whatever ${this.is(label)}`;
  }

  /** "no Bird", "nothing Living", "nothing that is Food". */
  no(label) {
    const noun = this.#noun(label);
    if (noun) return `no ${noun}`;
    return this.phrase(label)?.startsWith("something ") ? `nothing ${this.bare(label)}` : `nothing that ${this.is(label)}`;
  }

  #noun(label) {
    return /^an? (.+)$/.exec(this.phrase(label) ?? "")?.[1] ?? null;
  }

  /** "a Bird" without the word that only a sentence with "is" needs. */
  bare(label) {
    return this.phrase(label)?.replace(/^something /, "") ?? label;
  }
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
