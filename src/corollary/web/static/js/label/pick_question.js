// A pick as people read it: the item's text is the headline, and from some length on a column beside the options.
import { h } from "../shared/dom.js";
import { fieldsOf, partsOf, pictureOf, textsOf } from "../shared/item.js";
import { isNamed, nameOf } from "../shared/words.js";

const BESIDE = 240; // characters from which on a text is a column of its own
const LINE = 60; // what a line break counts
const SIZES = [[60, "large"], [120, "medium"], [BESIDE, "small"]];

/** The title of the options: the question's sentence, the page's heading where no text is. */
export function pickHeading({ item, text }) {
  const title = isNamed(item) ? text.replace(nameOf(item), "it") : text;
  return { title, level: isBeside(item) ? "h1" : "h2" };
}

/** The page of a pick. */
export function pickAsk({ item }, pick, suggestion) {
  const beside = isBeside(item);
  const { body, fields } = partsOf(item);
  const text = item.text?.trim();
  const texts = textsOf(body.filter((one) => one !== text || beside));
  const headline = beside ? null : h("h1", { class: `question headline ${sizeOf(item)}`, tabindex: "-1", "aria-describedby": "options-title" }, text);
  pick.element.querySelector("h1")?.setAttribute("aria-describedby", "item-read");
  return h("article", { class: beside ? "sheet ask pick-ask beside" : "sheet ask pick-ask" },
    h("div", { class: "item", id: "item-read", tabindex: lengthOf(item) > LINE * 2 ? "0" : null }, idOf(item), headline, beside && isNamed(item) ? h("p", { class: "text" }, text) : null, pictureOf(item), texts, fieldsOf(fields), suggestion), pick.element);
}

/** How much there is to read. */
function lengthOf(item) {
  const { fields, body } = partsOf(item);
  const all = [item.text?.trim() ?? "", ...body.filter((one) => one !== item.text?.trim()), ...fields.flat()].join(" ");
  return all.length + LINE * (all.split("\n").length - 1);
}

const isBeside = (item) => Boolean(item.image) || !item.text?.trim() || lengthOf(item) >= BESIDE;

const sizeOf = (item) => SIZES.find(([most]) => item.text.trim().length <= most)?.[1] ?? "small";

/** The item's id, for whoever asks for it. */
function idOf({ id, text }) {
  return id === text ? null : h("details", { class: "item-id" }, h("summary", {}, "Id"), h("span", {}, id));
}
