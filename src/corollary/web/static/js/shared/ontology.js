// The ontology as the page needs it: who is above whom, what excludes what, and what a rule says in words.
import { getKept } from "./api.js";
import { Grammar, capital, list } from "./words.js";

let loading = null;

/** The ontology in force; it may be large, and whoever wants it while it comes gets the same. */
export function loadOntology() {
  loading ??= getKept("ontology").then((sent) => new Ontology(sent)).finally(() => { loading = null; });
  return loading;
}

export class Ontology {
  constructor({ version = 0, labels = [], rules = [], asks } = {}) {
    this.version = version;
    this.labels = labels.map((one) => one.label);
    this.about = new Map(labels.map((one) => [one.label, one]));
    this.grammar = new Grammar(labels, asks);
    this.rules = rules.map((rule) => ({ ...parseRule(rule.text), ...rule }));
    this.excluded = new Map(); // label -> rules by which others cannot be true beside it
    this.mentions = new Map(); // label -> rules that are neither above/below nor exclusive
    for (const rule of this.rules.filter((one) => one.kind !== "soft")) { // nothing follows from a soft one
      const index = rule.kind === "exclusive" || rule.kind === "exactly one" ? this.excluded : rule.kind === "above" ? null : this.mentions;
      for (const label of index ? rule.labels : []) index.set(label, [...(index.get(label) ?? []), rule]);
      if (rule.kind === "exactly one") for (const label of rule.labels) this.mentions.set(label, [...(this.mentions.get(label) ?? []), rule]);
    }
  }

  /** The displayed name of a label, and of several. */
  name(label) { return this.grammar.name(label); }

  named(labels) { return labels.map((label) => this.name(label)); }

  /** Whether a label is meant by what someone typed: its name, itself, or a synonym. */
  matches(label, typed) {
    const wanted = typed.trim().toLowerCase();
    return [this.name(label), label, ...this.synonyms(label)].some((one) => one.toLowerCase().includes(wanted));
  }

  synonyms(label) { return this.about.get(label)?.synonyms ?? []; }

  parents(label) { return this.about.get(label)?.parents ?? []; }

  children(label) { return this.about.get(label)?.children ?? []; }

  get roots() { return this.labels.filter((label) => !this.parents(label).length); }

  /** From the root down to the label, without it; of several parents the first. */
  path(label) {
    const path = [];
    for (let [up] = this.parents(label); up !== undefined && !path.includes(up); [up] = this.parents(up)) path.unshift(up);
    return path;
  }

  /** All labels above a label. */
  above(label, found = new Set()) {
    for (const up of this.parents(label)) if (!found.has(up)) this.above(up, found.add(up));
    return found;
  }

  below(label, found = new Set()) {
    for (const down of this.children(label)) if (!found.has(down)) this.below(down, found.add(down));
    return found;
  }

  /** Whether a rule says outright that both cannot be true. */
  excludes(a, b) {
    return a !== b && (this.excluded.get(a) ?? []).some((rule) => rule.labels.includes(b));
  }

  /** Whether both cannot be true, because of themselves or of labels above them. */
  apart(a, b) {
    const [ups, others] = [[a, ...this.above(a)], [b, ...this.above(b)]];
    return ups.some((up) => others.some((other) => this.excludes(up, other)));
  }

  /** A rule as a sentence: "Every Trout is a Fish". */
  sentence(rule, about = []) {
    const parsed = rule.kind ? rule : { ...parseRule(rule.text), ...rule };
    const { grammar } = this;
    const named = (labels) => {
      const chosen = labels.filter((label) => about.includes(label));
      return chosen.length ? chosen : labels;
    };
    switch (parsed.kind) {
      case "above": {
        const children = named(parsed.children);
        return capital(`${list(children.map((one) => grammar.every(one)), { most: 4 })} ${grammar.is(parsed.parent)}`);
      }
      case "covered":
        return capital(`${grammar.every(parsed.parent)} is ${list(parsed.children.map((one) => grammar.phrase(one) ?? grammar.name(one)), { last: "or", most: 6 })}`);
      case "exclusive": {
        const labels = named(parsed.labels);
        if (labels.length === 2 || parsed.labels.length === 2) {
          const [a, b] = (labels.length === 2 ? labels : parsed.labels).map((one) => grammar.bare(one));
          return `Nothing is both ${a} and ${b}`;
        }
        return `Nothing is more than one of ${list(this.named(parsed.labels), { most: 6 })}`;
      }
      case "exactly one":
        return `Everything is exactly one of ${list(this.named(parsed.labels), { most: 6 })}`;
      case "at least one":
        return `Everything is at least one of ${list(this.named(parsed.labels), { most: 6 })}`;
      case "same":
        return `${list(this.named(parsed.labels))} are the same`;
      default:
        return formula(this, parsed.text) ?? capital((parsed.words ?? parsed.text).replace(/ \[[^\]]*\]$/, ""));
    }
  }
}

/** A formula in words, where it is a plain one: "If Flies and Animal, then Bird, Mammal or Insect". */
function formula(onto, text) {
  const sides = text.replace(/^rule: /, "").split(" >> ");
  const plain = (side) => !/["()<>^]/.test(side) && !(side.includes(" & ") && side.includes(" | "));
  if (sides.length !== 2 || !sides.every(plain)) return null;
  const part = (one) => (one.startsWith("~") ? `not ${onto.name(one.slice(1))}` : onto.name(one));
  const [given, then] = sides.map((side) => list(side.split(/ [&|] /).map(part), { last: side.includes(" | ") ? "or" : "and" }));
  return `If ${given}, then ${then}`;
}

const NAME = /"((?:[^"\\]|\\.)*)"|[\p{L}\p{N}_./:-]+/gu;

function names(text) {
  return [...text.matchAll(NAME)].map(([whole, quoted]) => (quoted === undefined ? whole : quoted.replace(/\\(.)/g, "$1")));
}

const HEADS = { "exclusive:": "exclusive", "exactly one:": "exactly one", "at least one:": "at least one", "equivalent:": "same" };

/** The kind and the labels of a constraint in the notation. */
export function parseRule(text) {
  const line = text.replace(/\s+/g, " ").trim();
  const soft = /^((?:[a-z ]+|[\p{L}\p{N}_./:-]+|"(?:[^"\\]|\\.)*")) \(weight [^)]*\)/u.exec(line);
  if (soft) return { kind: "soft", labels: parseRule(soft[1] + line.slice(soft[0].length)).labels };
  for (const [head, kind] of Object.entries(HEADS)) {
    if (line.startsWith(head)) return { kind, labels: names(line.slice(head.length)) };
  }
  if (line.startsWith("rule:")) return { kind: "rule", labels: names(line.slice(5)) };
  const cut = / > | covered by /.exec(line.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => "_".repeat(quoted.length)));
  if (!cut) return { kind: "rule", labels: names(line) };
  const [parent] = names(line.slice(0, cut.index));
  const children = names(line.slice(cut.index + cut[0].length));
  return { kind: cut[0] === " > " ? "above" : "covered", parent, children, labels: [parent, ...children] };
}
