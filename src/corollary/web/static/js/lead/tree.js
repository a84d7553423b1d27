// The ontology as a tree: one tab stop, arrows to move, each label with its settled share.
import { h } from "../shared/dom.js";
import { sign } from "../shared/signs.js";
import { number } from "../shared/words.js";
import { redraw } from "./sheet.js";
import { bar, settledShare } from "./tables.js";

const DEEP = 6; // labels are indented up to this level

/** A tree of labels. `about(label)` gives its figures, `choose(label)` is called when one is chosen. */
export class Tree {
  constructor(onto, { about, choose = null, name = "Ontology", unfolded = 60 }) {
    Object.assign(this, { onto, about, choose });
    const small = onto.labels.length <= unfolded;
    this.open = new Set(onto.labels.filter((label) => onto.children(label).length && (small || (choose && onto.path(label).length < 1))));
    this.current = onto.roots[0] ?? null; // the row that has, or gets, focus: an address in the tree
    this.at = this.current === null ? "" : this.current;
    this.chosen = null;
    this.element = h("ul", { class: choose ? "tree choosing" : "tree", role: "tree", "aria-label": name, onkeydown: (event) => this.#key(event), onclick: (event) => this.#click(event) });
    this.draw();
  }

  draw() {
    const had = this.element.contains(document.activeElement);
    this.rows = [];
    this.onto.roots.forEach((label, n) => this.#list(label, "", 1, n + 1, this.onto.roots.length, new Set()));
    if (!this.rows.some((row) => row.at === this.at)) this.at = this.rows[0]?.at ?? "";
    redraw(this.element, this.rows.map((row) => this.#row(row)));
    if (had) this.#focus();
  }

  #list(label, above, level, place, all, seen) {
    const at = `${above}/${label}`;
    const children = seen.has(label) ? [] : this.onto.children(label);
    this.rows.push({ label, at, level, place, all, parent: above, children });
    if (!this.open.has(label)) return;
    const further = new Set(seen).add(label);
    children.forEach((child, n) => this.#list(child, at, level + 1, n + 1, children.length, further));
  }

  #row({ label, at, level, place, all, children }) {
    const one = this.about(label);
    const open = this.open.has(label);
    const item = h("li", { role: "treeitem", "aria-level": level, "aria-posinset": place, "aria-setsize": all, "aria-expanded": children.length ? String(open) : null,
      "aria-selected": this.choose ? String(label === this.chosen) : null, tabindex: at === this.at ? "0" : "-1", "data-at": at },
    h("span", { class: "twist", "aria-hidden": "true" }, children.length ? sign("down") : null), h("span", { class: "name" }, this.onto.name(label)), marks(this.onto, label, one),
    one && bar(one.answered, one.implied, one.yes + one.no + one.open), one && h("span", { class: "figure" }, h("span", { class: "unseen" }, ", settled: "), settledShare(one)));
    item.style.setProperty("--depth", Math.min(level - 1, DEEP));
    return item;
  }

  #focus() { this.#element(this.at)?.focus({ preventScroll: false }); }

  #element(at) { return [...this.element.children].find((one) => one.dataset.at === at); }

  #move(n) {
    const row = this.rows[Math.max(0, Math.min(this.rows.length - 1, n))];
    if (!row) return;
    this.#element(this.at)?.setAttribute("tabindex", "-1");
    this.at = row.at;
    this.#element(this.at)?.setAttribute("tabindex", "0");
    this.#focus();
  }

  #toggle(label, open) {
    this.open[open ? "add" : "delete"](label);
    this.draw();
  }

  #take(label) {
    if (!this.choose) return;
    this.chosen = label;
    this.draw();
    this.choose(label);
  }

  #click(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item) return;
    const n = this.rows.findIndex((row) => row.at === item.dataset.at);
    const row = this.rows[n];
    this.#move(n);
    const twist = event.target.closest(".twist") !== null || !this.choose;
    if (twist && row.children.length) this.#toggle(row.label, !this.open.has(row.label));
    else this.#take(row.label);
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const n = this.rows.findIndex((row) => row.at === this.at);
    const row = this.rows[n];
    const open = row && this.open.has(row.label);
    const acts = {
      ArrowDown: () => this.#move(n + 1), ArrowUp: () => this.#move(n - 1), Home: () => this.#move(0), End: () => this.#move(this.rows.length - 1),
      ArrowRight: () => (row.children.length && !open ? this.#toggle(row.label, true) : row.children.length && this.#move(n + 1)),
      ArrowLeft: () => (row.children.length && open ? this.#toggle(row.label, false) : this.#move(this.rows.findIndex((one) => one.at === row.parent))),
      Enter: () => (this.choose ? this.#take(row.label) : row.children.length && this.#toggle(row.label, !open)),
      " ": () => (this.choose ? this.#take(row.label) : row.children.length && this.#toggle(row.label, !open)),
    };
    const act = acts[event.key];
    if (act) {
      event.preventDefault();
      event.stopPropagation();
      if (row) act();
    } else if (event.key.length === 1) this.#jump(event.key, n);
  }

  /** To the next label that begins with a letter. */
  #jump(letter, from) {
    const order = [...this.rows.keys()].map((n) => (from + 1 + n) % this.rows.length);
    const found = order.find((n) => this.onto.name(this.rows[n].label).toLowerCase().startsWith(letter.toLowerCase()));
    if (found !== undefined) this.#move(found);
  }
}

/** The mark of a label that needs a look, in a word; else the labels that a root excludes. */
function marks(onto, label, one) {
  const words = one?.conflicts ? `${number(one.conflicts)} ${one.conflicts === 1 ? "conflict" : "conflicts"}` : one?.low ? "low agreement" : one?.never_yes ? "never yes" : null;
  return h("span", { class: words ? "mark look" : "mark" }, words ?? "");
}
