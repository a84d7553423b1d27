// The options of a pick: the likeliest at hand, and where there are more, those that the server finds.
import { get } from "./api.js";

const AT_ONCE = 50;
const NEAREST = 2;
/** Options sent with a question; if there are more, letters and the tree ask the server. */
export const SENT = 200;

export class PickOptions {
  constructor(onto, { item, options, ends, open = options.length, pickable = (ends ?? options).length, names = {} }) {
    Object.assign(this, { onto, item, open, pickable });
    this.names = new Map(Object.entries(names));
    this.labels = new Set(options); // that are open, as far as they are known here
    const can = new Set(ends ?? options);
    this.likeliest = options.filter((label) => can.has(label));
    this.complete = options.length >= open;
  }

  /** The displayed name of a label; the ontology may still be loading. */
  name(label) { return this.onto.about.has(label) ? this.onto.name(label) : this.names.get(label) ?? label; }

  /** The nearest labels above it. */
  path(label) {
    const path = this.onto.path(label).map((one) => this.name(one));
    return (path.length > NEAREST ? ["…", ...path.slice(-NEAREST)] : path).join(" › ");
  }

  /** Options at hand that match some letters, an exact name first. */
  fitting(typed) {
    if (!typed) return this.likeliest;
    const wanted = typed.toLowerCase();
    const found = this.likeliest.filter((label) => this.onto.matches(label, typed) || this.name(label).toLowerCase().includes(wanted));
    return found.toSorted((a, b) => this.#isCalled(b, wanted) - this.#isCalled(a, wanted));
  }

  /** The only one of some labels whose whole name was typed; null where there is none, or more than one. */
  exact(labels, typed) {
    const found = labels.filter((label) => this.#isCalled(label, typed.toLowerCase()));
    return found.length === 1 ? found[0] : null;
  }

  #isCalled(label, wanted) {
    const name = this.name(label);
    return [label, name, name.replace(` (${label})`, "")].some((one) => one.toLowerCase() === wanted);
  }

  /** Of all of them: {ends, total}. */
  search(typed) { return this.#ask({ query: typed, limit: AT_ONCE }); }

  /** Those right under a label, from one on: {options, ends, wider, total}; "" for those with nothing open above them. */
  under(label, offset = 0) { return this.#ask({ under: label, offset, limit: AT_ONCE }); }

  async #ask(wanted) {
    const reply = await get(`options?${new URLSearchParams({ item: this.item.id, ...wanted })}`);
    for (const [label, name] of Object.entries(reply.names)) this.names.set(label, name);
    for (const label of reply.options) this.labels.add(label);
    return reply;
  }
}
