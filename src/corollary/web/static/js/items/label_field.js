// A field for a label: type some letters, choose one of those that have them. As many labels as there may be.
import { h, put } from "../shared/dom.js";
import { list as listed } from "../shared/words.js";
import { called, matches, meantBy } from "./label_names.js";

const OFFERED = 50;

/** {input, list, label(), wrong(), set(label)}: `label()` is the label that is meant, or null; `wrong()` says why there is none. */
export function labelField(onto, id, { value = null, changed = () => {} } = {}) {
  const list = h("datalist", { id: `${id}-labels` });
  const input = h("input", { type: "text", id, list: list.id, autocomplete: "off", spellcheck: "false", placeholder: "any" });
  const label = () => {
    const found = meantBy(onto, input.value);
    return found.length === 1 ? found[0] : null;
  };
  const wrong = () => {
    const found = meantBy(onto, input.value);
    if (!input.value.trim() || found.length === 1) return "";
    if (!found.length) return `There is no label “${input.value.trim()}”.`;
    return `“${input.value.trim()}” can mean ${listed(found.map((one) => called(onto, one)), { last: "or", most: 5 })}.`;
  };
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
    input.setAttribute("aria-invalid", String(Boolean(wrong())));
    changed();
  });
  set(value);
  return { input, list, label, wrong, set };
}
