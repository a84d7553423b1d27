// All items: searched, filtered and sorted by the server, a page at a time; open one, or answer a label of many at once.
import { get, post } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import * as keys from "../shared/keys.js";
import { loadOntology } from "../shared/ontology.js";
import { count, labelsOfItems, number } from "../shared/words.js";
import { inBatches } from "../lead/batches.js";
import { key, page, statusLine } from "../lead/sheet.js";
import { Filters } from "./filters.js";
import { called } from "./label_names.js";
import { ManyBar } from "./many.js";
import { showOne } from "./one.js";
import { row } from "./rows.js";

const PAGE = 50;
let last = new URLSearchParams(); // what was wanted last: the way back from an item leads there

/** The view; the address may name an item. */
export async function show(main, context, route) {
  const onto = context.onto.labels.length ? context.onto : await loadOntology();
  const id = decodeURIComponent(route.split("?")[0].split("/").slice(1).join("/"));
  if (id) return showOne(main, context, onto, id);
  const people = await get("people");
  const start = route.includes("?") ? new URLSearchParams(route.slice(route.indexOf("?") + 1)) : last;
  const view = new Items(main, context, onto, [...people.map((one) => one.name), "import"], start);
  const end = keys.layer({ filter: () => view.filters.search.focus() });
  await view.read(Number(start.get("offset")) || 0);
  return end;
}

class Items {
  constructor(main, context, onto, people, start) {
    Object.assign(this, { main, onto, one: context.me.one, selected: new Set(), shown: [], total: 0, offset: 0, asked: 0 });
    this.status = statusLine();
    this.filters = new Filters(onto, people, start, () => this.read(0));
    this.found = h("p", { class: "note found", role: "status" });
    this.rows = h("ul", { class: "item-rows", "aria-label": "Items" });
    this.all = h("button", { class: "link", type: "button", onclick: () => this.#selectShown() });
    this.fitting = h("button", { class: "link", type: "button", onclick: () => this.#selectFitting() });
    this.earlier = h("button", { class: "button", type: "button", onclick: () => this.#turn(-PAGE) }, "Earlier");
    this.later = h("button", { class: "button", type: "button", onclick: () => this.#turn(PAGE) }, "Later");
    this.many = new ManyBar(onto, { answer: (label, value) => this.#answer(label, value), clear: () => this.#clear() });
    this.page = page(main, "Items", { beside: "" }, this.status.line, this.filters.element,
      this.many.element, h("div", { class: "row items-head" }, this.found, this.all, this.fitting), this.rows, h("div", { class: "row pages" }, this.earlier, this.later));
  }

  /** Read a page of the items chosen now; a late reply never replaces a newer one. */
  async read(offset) {
    const wanted = this.filters.wanted();
    put(this.found, this.filters.note());
    if (wanted === null) return;
    const turn = ++this.asked;
    const slow = setTimeout(() => turn === this.asked && put(this.found, "Searching."), 400);
    const query = new URLSearchParams({ ...wanted, offset, limit: PAGE });
    last = new URLSearchParams({ ...wanted, ...(offset ? { offset } : {}) });
    try {
      const reply = await get(`item-list?${query}`);
      if (turn === this.asked) this.#draw(reply, offset, wanted);
    } catch (error) {
      if (turn === this.asked) this.status.fail(error);
    } finally {
      clearTimeout(slow);
    }
  }

  #draw({ items, total, model }, offset, wanted) {
    Object.assign(this, { shown: items, total, offset, label: wanted.label ?? null });
    const until = offset + items.length;
    const sorted = (wanted.sort || wanted.mark === "doubtful" || wanted.state?.startsWith("predicted")) && !model ? " There are no predictions before the first model." : "";
    put(this.found, total ? `${number(offset + 1)} to ${number(until)} of ${count(total, "item")}.${sorted}` : `No item matches.${sorted}`, this.filters.note() ? ` ${this.filters.note()}` : "");
    put(this.rows, items.map((item) => row(this.onto, item, { label: this.label, one: this.one, selected: this.selected.has(item.id), select: (id, on) => this.#select([id], on) })));
    this.earlier.hidden = offset === 0;
    this.later.hidden = until >= total;
    this.many.suggest(this.label);
    this.#drawSelected();
  }

  #turn(step) {
    this.read(Math.max(0, this.offset + step)).then(() => this.main.querySelector("h1").focus());
  }

  #select(ids, on) {
    for (const id of ids) this.selected[on ? "add" : "delete"](id);
    this.#drawSelected();
  }

  #selectShown() {
    const all = this.shown.every((one) => this.selected.has(one.id));
    this.#select(this.shown.map((one) => one.id), !all);
  }

  /** All that fit, on whatever page; the server refuses where these are too many to be answered at once. */
  async #selectFitting() {
    try {
      const { ids } = await get(`item-ids?${new URLSearchParams(this.filters.wanted())}`);
      this.#select(ids, true);
      this.status.say(`${count(ids.length, "item")} selected, on all pages.`);
      this.many.focus();
    } catch (error) {
      this.status.fail(error);
    }
  }

  #clear() {
    this.selected.clear();
    this.#drawSelected();
    this.main.querySelector("h1").focus();
  }

  #drawSelected() {
    for (const box of this.rows.querySelectorAll("input")) box.checked = this.selected.has(box.closest("li").dataset.id);
    const all = this.shown.length > 0 && this.shown.every((one) => this.selected.has(one.id));
    put(this.all, all ? "Select none" : `Select ${count(this.shown.length, "item")} here`);
    this.all.hidden = !this.shown.length;
    put(this.fitting, `Select all ${number(this.total)} matches`);
    this.fitting.hidden = this.total <= this.shown.length;
    this.many.show(this.selected.size);
  }

  async #answer(label, value) {
    const ids = [...this.selected];
    const slow = setTimeout(() => this.status.say(`Answering ${count(ids.length, "item")}.`), 400);
    try {
      const reply = await post("group-answers", { key: key(), items: ids, label, value });
      this.selected.clear();
      await this.read(this.offset);
      this.#tell(reply, `${count(ids.length, "item")} answered, ${called(this.onto, label)}: ${value === "cant_tell" ? "can’t tell" : value ? "yes" : "no"}. ${labelsOfItems(reply.settled)} settled.`);
    } catch (error) {
      this.status.fail(error);
    } finally {
      clearTimeout(slow);
    }
  }

  /** The last action, and the button to take all of it back. */
  #tell({ group, conflicts }, words) {
    const back = h("button", { class: "button small", type: "button", onclick: async () => {
      try {
        const reply = await inBatches("group-undo", { key: key(), group }, (done, total) => this.status.say(`Taking back: ${number(done)} of ${number(total)}.`));
        await this.read(this.offset);
        this.status.say(`Taken back: ${count(reply.done, "answer")}. ${labelsOfItems(reply.opened)} open again.`);
        this.main.querySelector("h1").focus();
      } catch (error) {
        this.status.fail(error);
      }
    } }, "Take all of it back");
    this.status.say(words, conflicts.length ? h("a", { href: "#/conflicts" }, ` ${count(conflicts.length, "item")} in conflict now.`) : "", " ", back);
    back.focus();
  }
}
