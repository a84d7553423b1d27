// A pick: one of many is true. The likeliest nine have keys, a few letters find any other, and the tree has them all.
import { h, put } from "../shared/dom.js";
import { cap, caps } from "../shared/keys.js";
import { sign } from "../shared/signs.js";
import { count, list } from "../shared/words.js";

const KEYS = 9;
const TREE_UPTO = 1000; // beyond that letters find what a tree would hide

/** The options of a pick: element, preview, keys and `none()`; `say` takes the labels that hold. */
export class Pick {
  constructor(onto, question, say) {
    Object.assign(this, { onto, question, say });
    const ends = new Set(question.ends ?? question.options);
    this.open = question.options;
    this.ends = this.open.filter((label) => ends.has(label)); // the likeliest first
    this.preview = h("div", { class: "preview", role: "status" });
    this.best = h("ol", { class: "best" });
    this.found = h("p", { class: "note", role: "status" });
    this.input = h("input", { type: "search", id: "filter", autocomplete: "off", "aria-describedby": "found", oninput: () => this.#fill(), onkeydown: (event) => this.#typed(event) });
    this.found.id = "found";
    this.noneButton = question.none ? this.#button(null, "None of these", caps("no", { most: 1 }), "option none") : null;
    this.element = h("section", { class: "options pick", "aria-labelledby": "options-title", onkeydown: (event) => this.#move(event) },
      h("div", { class: "options-head" },
        h("h2", { id: "options-title" }, "Pick the narrowest that fits.", h("span", {}, " The likeliest come first.")),
        h("span", { class: "note" }, sign("logic"), `settles all ${count(this.open.length, "open label")}`)),
      this.ends.length > KEYS ? h("div", { class: "field" }, h("label", { for: "filter" }, "Find another ", caps("filter", { most: 1 })), this.input, this.found) : null,
      this.best, this.noneButton, this.ends.length > KEYS && this.open.length <= TREE_UPTO ? this.#tree() : null);
    this.keys = Object.fromEntries(Array.from({ length: KEYS }, (_, n) => [String(n + 1), () => this.shown[n] !== undefined && this.#pick(this.shown[n])]));
    this.keys.filter = () => this.input.focus();
    this.#fill();
  }

  none() { if (this.noneButton) this.say([]); }

  get done() { return null; }

  /** The likeliest, or those that the letters fit. */
  #fill() {
    const typed = this.input.value.trim();
    const fitting = typed ? this.ends.filter((label) => this.onto.matches(label, typed)) : this.ends;
    this.shown = fitting.slice(0, KEYS);
    put(this.best, this.shown.map((label, n) => h("li", {}, this.#button(label, this.onto.name(label), h("span", { class: "keys", "aria-hidden": "true" }, cap(String(n + 1))), "option", String(n + 1)))));
    const more = fitting.length - this.shown.length;
    put(this.found, typed ? (fitting.length ? `${count(fitting.length, "label")} found${fitting.length === 1 ? "; Enter picks it" : ", Enter goes to the first"}.` : "No open label is called so.") : `${count(more, "more label")}: type a few letters.`);
  }

  #button(label, words, key, kind, shortcut = null) {
    const show = () => this.#show(label);
    const path = label === null ? [] : this.onto.path(label);
    return h("button", { class: kind, type: "button", "data-label": label ?? "", "aria-keyshortcuts": shortcut, onclick: () => this.#pick(label), onfocus: show, onmouseenter: show, onmouseleave: () => put(this.preview), onblur: () => put(this.preview) },
      key, h("span", { class: "name" }, words), path.length ? h("span", { class: "note" }, this.onto.named(path).join(" › ")) : null);
  }

  #pick(label) { this.say(label === null ? [] : [label]); }

  /** What it would settle. */
  #show(label) {
    const on = label === null ? [] : [label, ...this.onto.above(label)].filter((one) => this.open.includes(one));
    const off = this.open.length - on.length;
    const told = label === null ? "If none of these" : `If ${this.onto.name(label)}`;
    put(this.preview, h("p", { class: "title" }, sign("logic"), h("b", {}, `${told}, ${count(this.open.length, "open label")} ${this.open.length === 1 ? "is" : "are"} settled`)),
      h("dl", {}, on.length ? h("div", {}, h("dt", {}, sign("yes"), "yes"), h("dd", {}, list(this.onto.named(on), { most: 12, last: "and" }))) : null,
        off ? h("div", {}, h("dt", {}, sign("no"), "no"), h("dd", {}, count(off, "label"))) : null));
  }

  /** Enter completes: the only one that fits is picked, of several the first is gone to. */
  #typed(event) {
    if (event.key === "Escape" && this.input.value) {
      event.stopPropagation();
      this.input.value = "";
      this.#fill();
    } else if (event.key === "Enter" && this.input.value.trim()) {
      event.preventDefault();
      if (this.shown.length === 1) this.#pick(this.shown[0]);
      else this.best.querySelector(".option")?.focus();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      this.best.querySelector(".option")?.focus();
    }
  }

  /** All of them where they belong; drawn when it is opened. */
  #tree() {
    const place = h("div", { class: "all" });
    return h("details", { class: "tree-of-all", ontoggle: ({ currentTarget }) => currentTarget.open && !place.firstChild && put(place, this.#branch(this.#tops())) }, h("summary", {}, `All ${count(this.open.length, "open label")}, in their places`), place);
  }

  #tops() {
    const open = new Set(this.open);
    return this.onto.labels.filter((label) => open.has(label) && !this.onto.parents(label).some((up) => open.has(up)));
  }

  #branch(labels) {
    const open = new Set(this.open);
    const ends = new Set(this.ends);
    return h("ul", {}, labels.map((label) => {
      const under = this.onto.children(label).filter((child) => open.has(child));
      const own = ends.has(label) ? this.#button(label, this.onto.name(label), h("span", { class: "keys" }), "option") : h("span", { class: "heading" }, this.onto.name(label));
      return h("li", {}, own, under.length ? this.#branch(under) : null);
    }));
  }

  /** Arrows go from option to option. */
  #move(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step || !event.target.matches(".option")) return;
    const all = [...this.element.querySelectorAll(".option")].filter((one) => one.checkVisibility());
    event.preventDefault();
    all[(all.indexOf(event.target) + step + all.length) % all.length]?.focus();
  }
}
