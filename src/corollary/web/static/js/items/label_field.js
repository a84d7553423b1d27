// A field for a label: type some letters, choose one of those that have them. As many labels as there may be.
import { h, put } from "../shared/dom.js";

const OFFERED = 50;

/** {input, list, label}: `label()` is the label that is meant, null where none is; `wrong()` whether it is unknown. */
export function labelField(onto, id, { value = "", changed = () => {} } = {}) {
  const list = h("datalist", { id: `${id}-labels` });
  const input = h("input", { type: "text", id, list: list.id, autocomplete: "off", spellcheck: "false", value, placeholder: "any" });
  const meant = () => {
    const typed = input.value.trim().toLowerCase();
    if (!typed) return null;
    return onto.labels.find((one) => one.toLowerCase() === typed) ?? null;
  };
  const offer = () => {
    const typed = input.value.trim().toLowerCase();
    const found = [];
    for (const label of onto.labels) {
      if (label.toLowerCase().includes(typed)) found.push(label);
      if (found.length === OFFERED) break;
    }
    put(list, found.map((label) => h("option", { value: label })));
  };
  input.addEventListener("focus", offer);
  input.addEventListener("input", offer);
  input.addEventListener("change", () => {
    const typed = input.value.trim().toLowerCase();
    const fitting = onto.labels.filter((one) => one.toLowerCase().includes(typed));
    if (typed && meant() === null && fitting.length === 1) [input.value] = fitting; // there is only one it can be
    else if (meant() !== null) input.value = meant();
    const wrong = Boolean(input.value.trim()) && meant() === null;
    input.setAttribute("aria-invalid", String(wrong));
    changed();
  });
  return { input, list, label: meant, wrong: () => Boolean(input.value.trim()) && meant() === null };
}
