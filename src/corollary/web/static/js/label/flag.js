// The form for a question that should not be answered: the fault, the rule, and a note for the lead.
import { h, put } from "../shared/dom.js";
import { cap } from "../shared/keys.js";
import { count, leadOf, nameOf } from "../shared/words.js";

const REASONS = {
  question: "The question makes no sense",
  text: "The text is broken or missing",
  rule: "A rule looks wrong",
  other: "Something else",
};

const SHOWN = 8; // rules at a time; the others are found by their words

/** The form in place of the dock. */
export function flagForm({ me, onto }, question, { cancel, done }) {
  const rules = ruleChoice(onto, question.label);
  const note = h("textarea", { id: "flag-note", maxlength: "10000", rows: "2" });
  const choices = Object.entries(REASONS).map(([reason, words], n) =>
    h("label", { class: "choice" }, h("input", { type: "radio", name: "reason", value: reason, checked: n === 0 }), words));
  const form = h("form", {
    class: "flag sheet", "aria-labelledby": "flag-title",
    onsubmit: (event) => {
      event.preventDefault();
      const { reason, rule } = Object.fromEntries(new FormData(form));
      done({ reason, note: note.value.trim(), rule: (reason === "rule" && rule) || null });
    },
    onchange: ({ target }) => {
      if (target.name !== "reason") return;
      rules.hidden = target.value !== "rule" || !onto.rules.length;
      form.scrollIntoView({ block: "end" });
    },
  },
  h("fieldset", {}, h("legend", { id: "flag-title" }, `Flag ${nameOf(question.item)}${question.label === null ? "" : `, ${onto.name(question.label)}`}`), choices),
  rules,
  h("div", { class: "field" }, h("label", { for: "flag-note" }, `Note for ${leadOf(me)}, if you like`), note),
  h("div", { class: "row" }, h("button", { class: "button main", type: "submit" }, "Flag and go on"),
    h("button", { class: "button", type: "button", onclick: cancel }, "Cancel", h("span", { class: "keys", "aria-hidden": "true" }, cap("Esc")))));
  return h("div", { class: "dock flagging" }, form);
}

/** Choose a rule: first those about the label, any other by its words. */
function ruleChoice(onto, label) {
  const about = label === null ? [] : [label];
  const said = onto.rules.map((rule) => ({ text: rule.text, words: onto.sentence(rule, about), names: rule.labels.join(" "), near: label === null || rule.labels.includes(label) }));
  const list = h("div", { class: "rule-list" });
  const more = h("p", { class: "note", role: "status" });
  const find = h("input", { type: "search", id: "flag-find", autocomplete: "off", oninput: () => draw() });
  const choice = (value, words, chosen) => h("label", { class: "choice" }, h("input", { type: "radio", name: "rule", value, checked: value === chosen }), words);

  function draw() {
    const wanted = find.value.trim().toLowerCase();
    const chosen = list.querySelector("input:checked")?.value ?? "";
    const found = said.filter((one) => (wanted ? `${one.words} ${one.names}`.toLowerCase().includes(wanted) : one.near));
    const shown = [...said.filter((one) => one.text === chosen), ...found.filter((one) => one.text !== chosen)].slice(0, SHOWN);
    put(list, choice("", "I can’t say which", chosen), shown.map((one) => choice(one.text, one.words, chosen)));
    const left = found.length - shown.length;
    put(more, wanted && !found.length ? "No rule has these words." : left > 0 ? `and ${count(left, "more rule")}: search by a word` : "");
  }

  draw();
  return h("fieldset", { class: "which-rule", hidden: true }, h("legend", {}, "Which rule?"),
    said.length > SHOWN && h("div", { class: "field" }, h("label", { for: find.id }, "Find a rule by a word"), find), list, more);
}
