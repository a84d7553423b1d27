// One item of the list: its name, known labels, predictions, and a box to select it.
import { h } from "../shared/dom.js";
import { sign } from "../shared/signs.js";
import { count, list, nameOf } from "../shared/words.js";
import { share } from "../lead/sheet.js";
import { called } from "./label_names.js";

const LONGEST = 240;
const MARKS = { flagged: "flagged", conflict: "in conflict", gold: "gold", withdrawn: "withdrawn" };
export const addressOf = (id) => `#/items/${encodeURIComponent(id)}`;

/** The row; `select(id, on)` is called when the box is ticked. */
export function row(onto, item, { label, one, selected, select }) {
  const name = nameOf(item);
  return h("li", { class: "item-row", "data-id": item.id },
    h("label", { class: "tick" }, h("input", { type: "checkbox", checked: selected, "aria-label": `Select ${name}, ${item.id}`, onchange: (event) => select(item.id, event.target.checked) })),
    item.image ? h("img", { class: "thumb", src: item.image, alt: "", loading: "lazy" }) : null,
    h("div", { class: "what" },
      h("a", { class: "title", href: addressOf(item.id) }, textOf(item)),
      h("p", { class: "note" }, item.text?.trim() && item.text.trim() !== item.id ? h("span", { class: "id" }, item.id) : null, item.marks.map((mark) => h("span", { class: mark === "conflict" ? "tag look" : "tag" }, MARKS[mark])))),
    h("div", { class: "known" }, label === null ? null : ofLabel(item, called(onto, label)), known(onto, item), predicted(onto, item)),
    h("p", { class: "note figures" }, item.open ? (one ? "not labelled" : `${count(item.open, "label")} open`) : [sign("done"), one ? " labelled" : " done"], item.doubt ? h("span", { title: label === null ? "The probability that some predicted label of the item is wrong" : "The probability that the prediction of this label is wrong" }, `doubt ${share(item.doubt, 0)}`) : null));
}

function textOf(item) {
  const text = item.text?.trim() || item.id;
  return text.length > LONGEST ? `${text.slice(0, LONGEST).trimEnd()} …` : text;
}

function ofLabel(item, name) {
  if (item.value !== null) return h("p", {}, sign(item.value ? "yes" : "no"), h("span", {}, `${name}: ${item.value ? "yes" : "no"}, ${item.source}`));
  return h("p", {}, sign("open"), h("span", {}, `${name}: open${item.probability === null ? "" : `, ${share(item.probability, 0)} yes`}`));
}

const known = (onto, item) => (item.yes.length ? h("p", {}, sign("yes", { named: "known:" }), h("span", {}, list(item.yes.map((one) => called(onto, one)), { most: 6 }))) : null);

const predicted = (onto, item) => (item.predicted.length
  ? h("p", { class: "quiet" }, h("span", { class: "tag" }, "predicted"), h("span", {}, list(item.predicted.map((one) => `${called(onto, one.label)} ${share(one.probability, 0)}`), { most: 6 })))
  : null);
