// A pick: one of many is true. The likeliest nine have keys, a few letters find any other, and the tree has them all.
import { h, put } from "./dom.js";
import { cap, caps, shortcuts } from "./keys.js";
import { PickOptions } from "./pick_options.js";
import { drawTree } from "./pick_tree.js";
import { count, number } from "./words.js";

const KEYS = 9;
const NONE = "0";
const TYPING_MS = 150;

/** The options of a pick: element, keys and `none()`; `say` takes the labels that hold. `level` is the tag of the title. */
export class Pick {
  constructor(onto, question, say, { title, level = "h2", ownKeys = true } = {}) {
    this.say = say;
    this.options = new PickOptions(onto, question);
    this.many = this.options.pickable > KEYS;
    this.asked = 0; // how often letters were looked for: only the last time counts
    this.best = h("ol", { class: this.many ? "best nine" : "best" });
    this.found = h("p", { class: "note", role: "status", id: "found" });
    this.input = h("input", { type: "search", id: "filter", autocomplete: "off", placeholder: " ", "aria-describedby": "found", oninput: () => this.#fill(), onkeydown: (event) => this.#typed(event) });
    this.noneButton = question.none ? this.#button(null, "None of these", key(NONE), { shortcut: NONE }) : null;
    this.tree = h("div", { class: "tree-of-all", id: "tree-of-all", hidden: true });
    this.treeButton = this.many ? h("button", { class: "option", type: "button", "aria-expanded": "false", "aria-controls": "tree-of-all", "aria-keyshortcuts": ownKeys ? shortcuts("tree") : null, onclick: () => this.toggleTree() },
      ownKeys ? caps("tree", { most: 1 }) : null, h("span", { class: "what" }, h("span", { class: "name" }, "All, as a tree"))) : null;
    this.element = h("section", { class: "options pick", "aria-labelledby": "options-title", onkeydown: (event) => this.#move(event) },
      h("div", { class: "options-head" },
        h(level, { id: "options-title", class: level === "h1" ? "question" : null, tabindex: level === "h1" ? "-1" : null }, title), this.found,
        this.many ? h("div", { class: "find" }, h("label", { for: "filter" }, `Find one of ${number(this.options.pickable)}`, ownKeys ? caps("filter", { most: 1 }) : null), this.input) : null),
      this.best,
      this.noneButton || this.treeButton ? h("div", { class: "besides" }, this.noneButton, this.treeButton) : null,
      this.tree);
    this.keys = Object.fromEntries(Array.from({ length: KEYS }, (_, n) => [String(n + 1), () => this.shown[n] !== undefined && this.#pick(this.shown[n])]));
    this.keys[NONE] = () => this.none();
    this.keys.filter = () => this.many && this.input.focus();
    this.keys.tree = () => this.many && this.toggleTree();
    this.#fill();
  }

  none() { if (this.noneButton) this.say([]); }

  get done() { return null; }

  /** Show all of them under the others, or hide them. */
  async toggleTree() {
    const { tree, treeButton } = this;
    tree.hidden = !tree.hidden;
    treeButton.setAttribute("aria-expanded", String(!tree.hidden));
    if (tree.hidden) return treeButton.focus();
    if (!tree.firstChild) await drawTree(this.options, (label) => this.#button(label, this.options.name(label), null, { place: false }), tree);
    treeButton.scrollIntoView({ block: "start" });
    return tree.querySelector("button, summary")?.focus({ preventScroll: true });
  }

  /** The likeliest, or those that the letters fit: first of those at hand, then, where there are more, of all. */
  #fill() {
    const typed = this.input.value.trim();
    const turn = ++this.asked;
    clearTimeout(this.timer);
    const here = this.options.fitting(typed);
    if (!typed) return this.#draw(here);
    if (this.options.complete) return this.#drawFound(here, here.length, typed);
    this.#draw(here, `Searching all ${number(this.options.pickable)} labels.`);
    this.searching = new Promise((done) => { this.timer = setTimeout(done, TYPING_MS); }).then(() => turn === this.asked && this.#search(typed, turn, here));
    return null;
  }

  async #search(typed, turn, here) {
    try {
      const { ends, total } = await this.options.search(typed);
      if (turn === this.asked) this.#drawFound(ends, total, typed);
    } catch (error) {
      if (turn === this.asked) this.#draw(here, `The search covered only the ${number(this.options.likeliest.length)} likeliest labels and found ${here.length ? number(here.length) : "none"}. ${error.message}`);
    }
  }

  /** All that the letters fit: Enter picks the only one, or the one whose whole name was typed. */
  #drawFound(labels, total, typed) {
    const picks = total === 1 ? labels[0] : this.options.exact(labels, typed);
    const enter = picks === null ? "goes to the first" : total === 1 ? "picks it" : "picks the first";
    this.#draw(labels, total ? `${count(total, "label")} found, Enter ${enter}.` : "No open label matches.", picks);
  }

  #draw(labels, words = "", picks = null) {
    this.shown = labels.slice(0, KEYS);
    this.picks = picks; // what Enter picks
    put(this.best, this.shown.map((label, n) => h("li", {}, this.#button(label, this.options.name(label), key(String(n + 1)), { shortcut: String(n + 1), next: label === picks }))));
    put(this.found, words);
  }

  #button(label, words, cap, { shortcut = null, place = true, next = false } = {}) {
    const path = label === null || !place ? "" : this.options.path(label);
    return h("button", { class: label === null ? "option none" : next ? "option next" : "option", type: "button", "data-label": label ?? "", "aria-keyshortcuts": shortcut, onclick: () => this.#pick(label) },
      cap, h("span", { class: "what" }, h("span", { class: "name" }, words), path ? h("span", { class: "note" }, path) : null));
  }

  #pick(label) { this.say(label === null ? [] : [label]); }

  /** Enter picks what was named; of several the first is gone to. */
  async #typed(event) {
    if (event.key === "Escape" && this.input.value) {
      event.stopPropagation();
      this.input.value = "";
      this.#fill();
    } else if (event.key === "Enter" && this.input.value.trim()) {
      event.preventDefault();
      const turn = this.asked;
      await this.searching; // the options at hand may not be all that fit
      if (turn !== this.asked || !this.input.isConnected) return;
      if (this.picks !== null) this.#pick(this.picks);
      else this.best.querySelector(".option")?.focus();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      this.best.querySelector(".option")?.focus();
    }
  }

  /** Arrows go from option to option; up and down by a row of the grid. */
  #move(event) {
    const way = { ArrowDown: [0, 1], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowLeft: [-1, 0] }[event.key];
    if (!way || !event.target.matches(".option")) return;
    const all = [...this.element.querySelectorAll(".option")].filter((one) => one.checkVisibility());
    event.preventDefault();
    (nearest(all, event.target, way) ?? all[(all.indexOf(event.target) + way[0] + way[1] + all.length) % all.length])?.focus();
  }
}

const key = (one) => h("span", { class: "keys", "aria-hidden": "true" }, cap(one));

/** Up and down: the option of the next row that is nearest sideways; null where there is none, or for left and right. */
function nearest(all, from, [, down]) {
  const at = from.getBoundingClientRect();
  const rows = all.map((one) => [one, one.getBoundingClientRect()]).filter(([, box]) => down && (box.top - at.top) * down > 1);
  if (!rows.length) return null;
  const row = rows.reduce((best, [, box]) => (Math.abs(box.top - at.top) < Math.abs(best - at.top) ? box.top : best), Infinity);
  const aside = ([, box]) => Math.abs(box.left - at.left);
  return rows.filter(([, box]) => Math.abs(box.top - row) < 1).sort((a, b) => aside(a) - aside(b))[0][0];
}
