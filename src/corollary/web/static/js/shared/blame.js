// Of answers that cannot all be true, which is most likely the wrong one.
import { h } from "./dom.js";
import { chance } from "./words.js";

/** "Most likely wrong: line 2, with 93 %", and why; nothing where answers are not weighed. */
export function blame({ blamed, opinions }) {
  if (!blamed) return null;
  const at = opinions.findIndex(({ seq, label }) => seq === blamed.seq && label === blamed.label);
  return h("p", { class: "blame" }, h("b", {}, `Most likely wrong: line ${at + 1}, with a probability of ${chance(blamed.probability)}.`), ` ${blamed.why}`);
}
