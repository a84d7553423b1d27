// An item as people see it: its name, its text, its picture, the fields of its record.
import { h } from "./dom.js";
import { isNamed, number } from "./words.js";

const LONG = 60;

/** The item's side of a question; what the question's sentence says already is not said again. */
export function itemOf(item, sentence = "") {
  const { body, fields } = partsOf(item);
  const named = isNamed(item);
  const said = named && sentence.includes(`“${item.text.trim()}”`);
  const title = said ? "Item" : named ? item.text.trim() : item.image ? "Picture" : "Text";
  const all = item.id === item.text ? fields : [...fields, [said ? "Id" : "Item", item.id]];
  return h("section", { class: "item", "aria-labelledby": "item-title" },
    h("h2", { id: "item-title" }, title), pictureOf(item), textsOf(body), fieldsOf(all));
}

export const pictureOf = (item) => item.image && h("img", { class: "picture", src: item.image, alt: isNamed(item) ? item.text : "The picture to label" });

export const textsOf = (texts) => texts.map((text) => text.split(/\n{2,}/).map((paragraph) => h("p", { class: "text" }, paragraph)));

export const fieldsOf = (fields) => (fields.length ? h("dl", { class: "fields" }, fields.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))) : null);

/** Short texts are names, long ones are read; other fields of a record are listed. */
export function partsOf(item) {
  const body = isNamed(item) || !item.text?.trim() ? [] : [item.text.trim()];
  const fields = [];
  for (const [name, value] of Object.entries(item.fields ?? {})) {
    if (value === null || value === "") continue;
    if (typeof value === "string" && value.length > LONG && !body.length) body.push(value);
    else fields.push([label(name), shown(value)]);
  }
  return { body, fields };
}

const label = (name) => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll("_", " ");

function shown(value) {
  if (typeof value === "number") return number(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value : JSON.stringify(value);
}
