// Filters and order of items: search, label, state, mark, person. The page's address keeps them.
import { h } from "../shared/dom.js";
import { caps } from "../shared/keys.js";
import { labelField } from "./label_field.js";

const STATES = { "": "any state", yes: "yes", no: "no", open: "open", asked: "asked", implied: "implied", predicted: "open, predicted yes", predicted_no: "open, predicted no" };
const MARKS = { "": "everything", doubtful: "doubtful", flagged: "flagged", conflict: "in conflict", gold: "gold", withdrawn: "withdrawn" };
const ORDERS = { order: "oldest first", "order up": "newest first", doubt: "most doubtful first", "doubt up": "least doubtful first", probability: "label most probable first", "probability up": "label least probable first" };
const TYPING_MS = 250;

/** The form. `changed` is called when something else is wanted; `wanted()` gives it, by the names of the API. */
export class Filters {
  constructor(onto, people, start, changed) {
    const choice = (id, words, value = "") => {
      const one = h("select", { id, onchange: changed }, Object.entries(words).map(([name, text]) => h("option", { value: name }, text)));
      one.value = value in words ? value : Object.keys(words)[0];
      return one;
    };
    let timer = null;
    this.search = h("input", { type: "search", id: "items-search", autocomplete: "off", value: start.get("query") ?? "", oninput: () => { clearTimeout(timer); timer = setTimeout(changed, TYPING_MS); } });
    this.label = labelField(onto, "items-label", { value: start.get("label"), changed });
    this.state = choice("items-state", STATES, start.get("state") ?? "");
    this.mark = choice("items-mark", MARKS, start.get("mark") ?? "");
    this.who = choice("items-who", { "": "anybody", ...Object.fromEntries(people.map((name) => [name, name])) }, start.get("who") ?? "");
    this.order = choice("items-order", ORDERS, `${start.get("sort") ?? "order"}${start.get("up") ? " up" : ""}`);
    const field = (words, control, more = null) => h("div", { class: "field" }, h("label", { for: control.id }, words, more), control);
    this.element = h("form", { class: "filters items-filters", role: "search", "aria-label": "Items", onsubmit: (event) => { event.preventDefault(); changed(); } },
      field("Text or identifier ", this.search, caps("filter", { most: 1 })), field("Label", this.label.input), this.label.list, field("State", this.state),
      field("Mark", this.mark), field("Answered by", this.who), field("Order", this.order));
  }

  /** The filters chosen; null if they name an unknown label. */
  wanted() {
    if (this.label.wrong()) return null;
    const [sort, up] = this.order.value.split(" ");
    const label = this.label.label();
    const by = sort === "probability" && label === null ? "order" : sort;
    return Object.fromEntries(Object.entries({ query: this.search.value.trim(), label, state: this.state.value, mark: this.mark.value, who: this.who.value, sort: by === "order" ? "" : by, up: up ? "true" : "" }).filter(([, value]) => value));
  }

  /** Notes that the list does not show. */
  note() {
    if (this.label.wrong()) return this.label.wrong();
    return this.order.value.startsWith("probability") && this.label.label() === null ? "To sort by probability, choose a label." : "";
  }
}
