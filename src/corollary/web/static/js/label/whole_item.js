// A question about the whole item, of which several labels may hold: check all that fit, the narrowest.
import { h, put } from "../shared/dom.js";
import { cap, caps } from "../shared/keys.js";
import { sign } from "../shared/signs.js";
import { count, list } from "../shared/words.js";
import { Pick } from "../shared/pick.js";
import { pickHeading } from "./pick_question.js";

const DIGITS = "123456789";
const FILTER_FROM = 11;

/** The open labels that a pick settles. */
export function pickSettles(onto, options, picked) {
  const on = new Set(picked.flatMap((label) => [label, ...onto.above(label)]));
  return Object.fromEntries(options.map((label) => [label, on.has(label)]));
}

/** The options of a question for the whole item: element, keys and `none()`; where several may hold, also a preview. */
export function wholeOf(onto, question, say) {
  return question.one ? new Pick(onto, question, say, pickHeading(question)) : new Whole(onto, question, say);
}

/** The options in the ontology's order: those with none above them, each with all that are under it. */
function groupsOf(onto, options) {
  const open = new Set(options);
  const placed = new Set();
  const under = (label, depth) =>
    onto.children(label).filter((child) => open.has(child) && !placed.has(child)).flatMap((child) => {
      placed.add(child);
      return [{ label: child, depth }, ...under(child, depth + 1)];
    });
  return options.filter((label) => !onto.parents(label).some((up) => open.has(up))).map((top) => ({ top, under: under(top, 0) }));
}

class Whole {
  #picked = new Set();

  constructor(onto, question, say) {
    Object.assign(this, { onto, question, say });
    const open = new Set(question.options);
    const options = onto.labels.filter((label) => open.has(label)); // where people expect them
    // Several can be true at once where two options neither exclude nor imply one another.
    this.several = options.some((a, n) => options.slice(n + 1).some((b) => !onto.apart(a, b) && !onto.above(a).has(b) && !onto.above(b).has(a)));
    this.groupsOf = groupsOf(onto, options);
    const shown = this.groupsOf.flatMap(({ top, under }) => [top, ...under.map((one) => one.label)]);
    this.buttons = new Map(shown.map((label, n) => [label, this.#button(label, n)]));
    this.preview = h("div", { class: "preview", role: "status" });
    this.noneButton = h("button", { class: "option none", type: "button", onclick: () => this.none(), onfocus: () => this.#show([]), onmouseenter: () => this.#show([]) },
      caps("no", { most: 1 }), h("span", { class: "name" }, "None of these"));
    this.filter = options.length >= FILTER_FROM ? this.#filter() : null;
    this.groups = h("div", { class: "groups" }, this.groupsOf.map((group) => this.#group(group)), h("div", { class: "group" }, this.noneButton));
    this.done = this.several ? h("button", { class: "button main", type: "button", onclick: () => this.#finish() }, "Save these labels", h("span", { class: "keys", "aria-hidden": "true" }, cap("Enter"))) : null;
    this.element = h("section", { class: "options", "aria-labelledby": "options-title", onkeydown: (event) => this.#move(event) },
      h("div", { class: "options-head" },
        h("h2", { id: "options-title" }, this.several ? "Pick all labels that fit, the narrowest ones." : "Pick the narrowest label that fits.", h("span", {}, " Everything above it follows.")),
        h("span", { class: "note" }, sign("logic"), `settles all ${count(options.length, "open label")}`)),
      this.filter, this.groups);
    this.keys = Object.fromEntries(shown.slice(0, DIGITS.length).map((label, n) => [DIGITS[n], () => this.#pick(label)]));
    if (this.several) this.keys.Enter = () => this.#finish();
    if (this.filter) this.keys.filter = () => this.filter.querySelector("input").focus();
    this.#show(null);
  }

  none() { this.say([]); }

  /** The parent left, the labels under it right. */
  #group({ top, under }) {
    const rows = under.map(({ label, depth }) => h("li", { class: `depth-${Math.min(depth, 4)}` }, this.buttons.get(label)));
    return h("div", { class: "group" }, this.buttons.get(top), rows.length ? h("ul", { "aria-label": `Under ${this.onto.name(top)}` }, rows) : null);
  }

  #button(label, n) {
    const show = () => this.#show([label]);
    return h("button", {
      class: "option", type: "button", "aria-pressed": this.several ? "false" : null, "aria-keyshortcuts": DIGITS[n] ?? null,
      onclick: () => this.#pick(label), onfocus: show, onmouseenter: show, onmouseleave: () => this.#show(null), onblur: () => this.#show(null),
    },
    DIGITS[n] ? h("span", { class: "keys", "aria-hidden": "true" }, cap(DIGITS[n])) : h("span", { class: "keys" }), h("span", { class: "name" }, this.onto.name(label)));
  }

  #pick(label) {
    if (!this.several) return this.say([label]);
    const { onto } = this;
    if (this.#picked.has(label)) this.#picked.delete(label);
    else {
      for (const other of this.#picked) if (onto.apart(label, other) || onto.above(label).has(other) || onto.above(other).has(label)) this.#picked.delete(other);
      this.#picked.add(label);
    }
    for (const [one, button] of this.buttons) button.setAttribute("aria-pressed", String(this.#picked.has(one)));
    return this.#show(null);
  }

  #finish() {
    if (this.#picked.size) this.say([...this.#picked]);
  }

  /** The labels that a pick would settle; null stands for the labels picked so far. */
  #show(labels) {
    const picked = labels === null ? [...this.#picked] : [...new Set([...this.#picked, ...labels])];
    if (labels === null && !picked.length) return put(this.preview);
    const settled = pickSettles(this.onto, this.question.options, picked);
    const of = (value) => Object.keys(settled).filter((label) => settled[label] === value);
    const what = picked.length ? `If ${list(this.onto.named(picked))}` : "If none of these";
    const total = this.question.options.length;
    return put(this.preview,
      h("p", { class: "title" }, sign("logic"), h("b", {}, `${what}, ${total === 1 ? "the open label is" : `all ${total} open labels are`} settled`)),
      h("dl", {}, [true, false].filter((value) => of(value).length).map((value) =>
        h("div", {}, h("dt", {}, sign(value ? "yes" : "no"), value ? "yes" : "no"), h("dd", {}, list(this.onto.named(of(value)), { most: 12, last: "and" }))))));
  }

  #filter() {
    const input = h("input", { type: "search", id: "filter", autocomplete: "off", oninput: () => this.#narrow(input.value) });
    return h("div", { class: "field" }, h("label", { for: "filter" }, "Filter ", caps("filter", { most: 1 })), input);
  }

  #narrow(text) {
    for (const [label, button] of this.buttons) button.hidden = !this.onto.matches(label, text);
    for (const group of this.groups.querySelectorAll(".group")) group.hidden = ![...group.querySelectorAll(".option")].some((one) => !one.hidden);
  }

  /** Arrows go from option to option. */
  #move(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step || event.target.matches("input")) return;
    const all = [...this.groups.querySelectorAll(".option")].filter((one) => !one.hidden);
    event.preventDefault();
    all[(all.indexOf(event.target) + step + all.length) % all.length]?.focus();
  }
}

