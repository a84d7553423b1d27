// The form for a question that should not be answered: what is wrong, and a note for the lead.
import { h } from "./dom.js";
import { cap, layer } from "./keys.js";
import { nameOf } from "./words.js";

const REASONS = {
  question: "The question makes no sense",
  text: "The text is broken or missing",
  rule: "A rule looks wrong",
  other: "Something else",
};

/** The form in place of the dock. */
export function flagForm({ me }, question, { cancel, done }) {
  const note = h("textarea", { id: "flag-note", maxlength: "10000", rows: "2" });
  const choices = Object.entries(REASONS).map(([reason, words], n) =>
    h("label", { class: "choice" }, h("input", { type: "radio", name: "reason", value: reason, checked: n === 0 }), words));
  const end = layer({ close: () => leave(cancel) });
  const leave = (how, what) => {
    end();
    how(what);
  };
  const form = h("form", {
    class: "flag sheet", "aria-labelledby": "flag-title",
    onsubmit: (event) => {
      event.preventDefault();
      const reason = form.querySelector("input:checked").value;
      leave(done, { reason, note: note.value.trim(), rule: null });
    },
  },
  h("fieldset", {}, h("legend", { id: "flag-title" }, `Flag ${nameOf(question.item)}${question.label === null ? "" : `, ${question.label}`}`), choices),
  h("div", { class: "field" }, h("label", { for: "flag-note" }, `Note for ${me.lead ?? "the lead"}, if you like`), note),
  h("div", { class: "row" }, h("button", { class: "button main", type: "submit" }, "Flag and go on"),
    h("button", { class: "button", type: "button", onclick: () => leave(cancel) }, "Cancel", h("span", { class: "keys", "aria-hidden": "true" }, cap("Esc")))));
  return h("div", { class: "dock flagging" }, form);
}
