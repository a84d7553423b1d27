// A question as people read it: the sentence, the item beside the label and its place, what would follow.
import { followsInPage } from "./dock.js";
import { h } from "../shared/dom.js";
import { itemOf } from "../shared/item.js";
import { placeOf } from "./label_place.js";
import { pickAsk } from "./pick_question.js";
import { chance, list } from "../shared/words.js";

/** The question; `whole` has the options where it is about all labels of the item. */
export function askOf(onto, question, whole) {
  const { item, label, text } = question;
  if (label === null && question.one) return pickAsk(question, whole, suggestionOf(onto, question));
  const sentence = label === null ? text : onto.grammar.withLabel(text, label);
  const columns = whole
    ? h("div", { class: "columns whole" }, h("div", {}, itemOf(item, text), whole.preview), whole.element)
    : h("div", { class: "columns" }, itemOf(item, text), labelOf(onto, question));
  return h("article", { class: "sheet ask" },
    h("h1", { class: "question", tabindex: "-1" }, sentence), suggestionOf(onto, question), columns, followsInPage(onto, question));
}

/** The model's prediction, if the lead shows it. */
function suggestionOf(onto, { suggestion }) {
  if (!suggestion) return null;
  const { value, probability } = suggestion;
  const what = Array.isArray(value) ? list(onto.named(value)) || "none of these" : value ? "yes" : "no";
  return h("p", { class: "suggestion" }, `Suggested: ${what}, ${chance(probability)}`);
}

function labelOf(onto, question) {
  const { label, definition } = question;
  return h("section", { class: "label", "aria-labelledby": "label-title" },
    h("h2", { id: "label-title" }, onto.name(label)), definition && h("p", { class: "definition" }, definition), placeOf(onto, question));
}
