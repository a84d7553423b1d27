// A field for a label: type some letters, choose one of those that have them. As many labels as there may be.
import { h, put } from "../shared/dom.js";
import { called, matches, meantBy } from "./label_names.js";

const OFFERED = 50;

/** {input, list, label(), wrong(), set(label)}: `label()` is the one that is meant, null where none is; `wrong()` if unknown. */
export function labelField(onto, id, { value = null, changed = () => {} } = {}) {
  const list = h("datalist", { id: `${id}-labels` });
  const input = h("input", { type: "text", id, list: list.id, autocomplete: "off", spellcheck: "false", placeholder: "any" });
  const label = () => meantBy(onto, input.value);
  const wrong = () => Boolean(input.value.trim()) && label() === null;
  const set = (one) => { input.value = one === null ? "" : called(onto, one); };
  const fitting = (most) => {
    const found = [];
    for (const one of onto.labels) {
      if (matches(onto, one, input.value)) found.push(one);
      if (found.length === most) break;
    }
    return found;
  };
  const offer = () => put(list, fitting(OFFERED).map((one) => h("option", { value: called(onto, one) })));
  input.addEventListener("focus", offer);
  input.addEventListener("input", offer);
  input.addEventListener("change", () => {
    const only = input.value.trim() && label() === null ? fitting(2) : [];
    if (only.length === 1) set(only[0]); // there is only one it can be
    else if (label() !== null) set(label());
    input.setAttribute("aria-invalid", String(wrong()));
    changed();
  });
  set(value);
  return { input, list, label, wrong, set };
}
