// A pick: one of many is true. The likeliest nine have keys, a few letters find any other, and the tree has them all.
import { h, put } from "./dom.js";
import { cap, caps } from "./keys.js";
import { PickOptions } from "./pick_options.js";
import { treeOfAll } from "./pick_tree.js";
import { sign } from "./signs.js";
import { count, list, number } from "./words.js";

const KEYS = 9;
const TYPING_MS = 150;

/** The options of a pick: element, preview, keys and `none()`; `say` takes the labels that hold. */
export class Pick {
  constructor(onto, question, say, { title = "Pick the narrowest that fits.", filterKey = true } = {}) {
    this.say = say;
    this.options = new PickOptions(onto, question);
    this.many = this.options.pickable > KEYS;
    this.asked = 0; // how often letters were looked for: only the last time counts
    this.preview = h("div", { class: "preview", role: "status" });
    this.best = h("ol", { class: "best" });
    this.found = h("p", { class: "note", role: "status", id: "found" });
    this.input = h("input", { type: "search", id: "filter", autocomplete: "off", "aria-describedby": "found", oninput: () => this.#fill(), onkeydown: (event) => this.#typed(event) });
    this.noneButton = question.none ? this.#button(null, "None of these", caps("no", { most: 1 }), "option none") : null;
    this.element = h("section", { class: "options pick", "aria-labelledby": "options-title", onkeydown: (event) => this.#move(event) },
      h("div", { class: "options-head" },
        h("h2", { id: "options-title" }, title, h("span", {}, " The likeliest come first.")),
        h("span", { class: "note" }, sign("logic"), `settles all ${count(this.options.open, "open label")}`)),
      this.many ? h("div", { class: "field" }, h("label", { for: "filter" }, "Find another ", filterKey ? caps("filter", { most: 1 }) : null), this.input, this.found) : null,
      this.best, this.noneButton,
      this.many ? treeOfAll(this.options, (label) => this.#button(label, this.options.name(label), h("span", { class: "keys" }), "option", { place: false })) : null);
    this.keys = Object.fromEntries(Array.from({ length: KEYS }, (_, n) => [String(n + 1), () => this.shown[n] !== undefined && this.#pick(this.shown[n])]));
    this.keys.filter = () => this.many && this.input.focus();
    this.#fill();
  }

  none() { if (this.noneButton) this.say([]); }

  get done() { return null; }

  /** The likeliest, or those that the letters fit: first of those at hand, then, where there are more, of all. */
  #fill() {
    const typed = this.input.value.trim();
    const turn = ++this.asked;
    clearTimeout(this.timer);
    const here = this.options.fitting(typed);
    if (!typed) return this.#draw(here, `${count(this.options.pickable - Math.min(here.length, KEYS), "more label")}: type a few letters.`);
    if (this.options.complete) return this.#draw(here, foundWords(here.length), here.length === 1);
    this.#draw(here, `Looking through all ${number(this.options.pickable)} labels.`);
    this.searching = new Promise((done) => { this.timer = setTimeout(done, TYPING_MS); }).then(() => turn === this.asked && this.#search(typed, turn, here));
    return null;
  }

  async #search(typed, turn, here) {
    try {
      const { ends, total } = await this.options.search(typed);
      if (turn === this.asked) this.#draw(ends, foundWords(total), total === 1);
    } catch (error) {
      if (turn === this.asked) this.#draw(here, `Only the ${number(this.options.likeliest.length)} likeliest could be looked through, ${here.length ? `${number(here.length)} found` : "and none is called so"}. ${error.message}`);
    }
  }

  #draw(labels, words, only = false) {
    this.shown = labels.slice(0, KEYS);
    this.only = only; // that Enter picks
    put(this.best, this.shown.map((label, n) => h("li", {}, this.#button(label, this.options.name(label), h("span", { class: "keys", "aria-hidden": "true" }, cap(String(n + 1))), "option", { shortcut: String(n + 1) }))));
    put(this.found, words);
  }

  #button(label, words, key, kind, { shortcut = null, place = true } = {}) {
    const show = () => this.#show(label);
    const path = label === null || !place ? "" : this.options.path(label);
    return h("button", { class: kind, type: "button", "data-label": label ?? "", "aria-keyshortcuts": shortcut, onclick: () => this.#pick(label), onfocus: show, onmouseenter: show, onmouseleave: () => put(this.preview), onblur: () => put(this.preview) },
      key, h("span", { class: "what" }, h("span", { class: "name" }, words), path ? h("span", { class: "note" }, path) : null));
  }

  #pick(label) { this.say(label === null ? [] : [label]); }

  /** What it would settle. */
  #show(label) {
    const { open } = this.options;
    const on = label === null ? [] : this.options.chain(label);
    const told = label === null ? "If none of these" : `If ${this.options.name(label)}`;
    put(this.preview, h("p", { class: "title" }, sign("logic"), h("b", {}, `${told}, ${count(open, "open label")} ${open === 1 ? "is" : "are"} settled`)),
      h("dl", {}, on.length ? h("div", {}, h("dt", {}, sign("yes"), "yes"), h("dd", {}, list(on.map((one) => this.options.name(one)), { most: 12, last: "and" }))) : null,
        open > on.length ? h("div", {}, h("dt", {}, sign("no"), "no"), h("dd", {}, count(open - on.length, "label"))) : null));
  }

  /** Enter completes: the only one that fits is picked, of several the first is gone to. */
  async #typed(event) {
    if (event.key === "Escape" && this.input.value) {
      event.stopPropagation();
      this.input.value = "";
      this.#fill();
    } else if (event.key === "Enter" && this.input.value.trim()) {
      event.preventDefault();
      const turn = this.asked;
      await this.searching; // what is at hand may not be all that fits
      if (turn !== this.asked || !this.input.isConnected) return;
      if (this.only) this.#pick(this.shown[0]);
      else this.best.querySelector(".option")?.focus();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      this.best.querySelector(".option")?.focus();
    }
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

function foundWords(n) {
  return n ? `${count(n, "label")} found${n === 1 ? "; Enter picks it" : ", Enter goes to the first"}.` : "No open label is called so.";
}
