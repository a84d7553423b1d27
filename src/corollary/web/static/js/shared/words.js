// Words for figures, lists, times, items and labels: the grammar that all sentences share.
import { h } from "./dom.js";

const QUOTED_UP_TO = 60;
const SNIPPET = 36;

export const number = (n) => n.toLocaleString("en-US");
export const count = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;
/** Labels of single items: "12 labels of items". */
export const labelsOfItems = (n) => count(n, "label of an item", "labels of items");
export const percent = (part, whole) => `${whole ? Math.floor((100 * part) / whole) : 0} %`;

/** How probable an open answer is: "93 %"; never "100 %", which would be certain, nor "0 %". */
export const chance = (p) => (p >= 0.995 ? "over 99 %" : p < 0.005 ? "under 1 %" : `${Math.round(100 * p)} %`);

/** "a, b and c"; at most `most` by name, the rest as a number. */
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

/** The name of an item in a sentence: “robin”, or the first words of a long text. */
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

/** The name of a person on their own page. */
export const shownName = ({ name, mode }) => (mode === "single" ? "You" : name);

/** How labels are put in a sentence: by their names, and as their question has them where that is "Is {item} ...?". */
export class Grammar {
  #names = new Map();
  #phrases = new Map();
  #questions = new Map();
  #asks; // how a pick is asked for

  constructor(labels = [], asks = "Which of these is {item}?") {
    this.#asks = asks;
    for (const { label, name = label, asks } of labels) {
      this.#names.set(label, name);
      if (!asks) continue;
      this.#questions.set(label, asks);
      const found = /^Is \{item\} (.+?)(,.*)?\?$/.exec(asks);
      this.#phrases.set(label, found?.[1].includes(name) ? found[1] : null);
    }
  }

  /** The displayed name of a label. */
  name(label) { return this.#names.get(label) ?? label; }

  /** "a Bird", "an Animal", "something Living"; null where the label's question is no "Is {item} ...?". */
  phrase(label) { return this.#phrases.get(label) ?? null; }

  /** "is a Bird", "is not a Bird"; “Bird” in quotes if no question shows how it fits into a sentence. */
  is(label, value = true) {
    const phrase = this.phrase(label) ?? `“${this.name(label)}”`;
    return `is ${value ? "" : "not "}${phrase}`;
  }

  /** The phrase with the label in italics, as nodes. */
  withLabel(text, label) {
    const name = this.name(label);
    const at = text.lastIndexOf(name);
    if (at < 0) return [text];
    return [text.slice(0, at), h("em", {}, name), text.slice(at + name.length)].filter((part) => part !== "");
  }

  /** "Is “robin” a Bird?", as the campaign asks it. */
  question(item, label) {
    if (label === null) return this.#asks.replace("{item}", () => (isNamed(item) ? nameOf(item) : "it"));
    const name = isNamed(item) ? nameOf(item) : "this";
    return (this.#questions.get(label) ?? `${this.name(label)}: {item}?`).replace("{item}", () => name);
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
    return this.phrase(label)?.replace(/^something /, "") ?? this.name(label);
  }
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
