// The field of a setting, by what the setting may be: words to choose from, a switch, a number, a text.
import { h } from "../shared/dom.js";
import { count } from "../shared/words.js";

const SHOWN = 60; // characters of a long text
const LINE = 500; // a text that may be longer has several lines

/** A value as people read it. */
export function written(value) {
  if (value === null || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "object") return Object.keys(value).length ? `texts of ${count(Object.keys(value).length, "label")}` : "none";
  return typeof value === "string" && value.length > SHOWN ? `${value.slice(0, SHOWN).trim()} …` : String(value);
}

/** {element, input, labelled, value(), show(value), shown(value)}; `edited` is called when someone changes it. */
export function control({ shape, none }, id, edited) {
  if (shape.type === "object") return texts();
  const words = shape.enum ?? (shape.type === "boolean" ? ["yes", "no"] : null);
  const shown = (value) => (value === null ? "" : typeof value === "boolean" ? (value ? "yes" : "no") : String(value));
  const input = words
    ? h("select", { id, onchange: edited }, none ? h("option", { value: "" }, "none") : null, words.map((one) => h("option", { value: one }, one)))
    : shape.maxLength > LINE ? h("textarea", { id, rows: "8", placeholder: none ? "none" : null, oninput: edited })
    : h("input", { type: "text", id, autocomplete: "off", spellcheck: "false", inputmode: shape.type === "string" ? null : "decimal", placeholder: none ? "none" : null, oninput: edited });
  return { element: input, input, labelled: true, value: () => input.value.trim(), show: (value) => { input.value = shown(value); }, shown };
}

/** Texts by label are edited where the labels are. */
function texts() {
  const said = h("span", {});
  const input = h("a", { class: "button", href: "#/ontology", "aria-label": "Edit definitions and questions under Ontology" }, "Edit under Ontology");
  return { element: h("div", { class: "row" }, said, input), input, labelled: false, value: () => null, show: (value) => { said.textContent = written(value); }, shown: () => null };
}
