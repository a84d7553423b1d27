// The labels of one item: those it has, those that are open, the more probable first, and those it has not.
import { h, put } from "../shared/dom.js";
import { caps } from "../shared/keys.js";
import { sign } from "../shared/signs.js";
import { count, list, number, when } from "../shared/words.js";
import { share } from "../lead/sheet.js";
import { called, matches } from "./label_names.js";

const SHOWN = 25;

/** {element, draw(details), focus(label)}. `say(label, value, known)` answers, `gold(label, value)` makes it a gold question, `why(label)` explains, `all()` loads every label. */
export function labelList(onto, { say, gold, why, all }) {
  const rows = h("ul", { class: "one-labels", "aria-label": "Labels" });
  const more = h("button", { class: "button", type: "button", onclick: () => { most += 4 * SHOWN; return fill(); } });
  const search = h("input", { type: "search", id: "one-filter", autocomplete: "off", oninput: () => { most = SHOWN; return fill(); } });
  const element = h("div", {}, h("div", { class: "field" }, h("label", { for: search.id }, "Find a label ", caps("filter", { most: 1 })), search), rows, h("p", { class: "row" }, more));
  let values = [];
  let total = 0; // how many there are; those that did not come with the item come when they are looked for
  let drawn = 0;
  let coming = null;
  let most = SHOWN;

  async function fill() {
    try {
      if (values.length < total && (search.value.trim() || most > values.length)) await (coming ??= rest());
    } catch (error) {
      return put(rows, h("li", { class: "wrong", role: "alert" }, `${error.message} ${error.hint ?? ""}`));
    }
    const wanted = search.value.trim();
    const found = wanted ? values.filter((one) => matches(onto, one.label, wanted)) : values;
    const further = (wanted ? found.length : total) - most;
    put(rows, found.slice(0, most).map(line), found.length ? null : h("li", { class: "quiet" }, "No label matches."));
    more.hidden = further <= 0;
    return put(more, `Show more of ${number(further)} further labels`);
  }

  /** The labels that did not come with the item; whoever draws meanwhile knows better. */
  async function rest() {
    const now = drawn;
    try {
      const details = await all();
      if (now === drawn) take(details);
    } finally {
      if (now === drawn) coming = null;
    }
  }

  function line(one) {
    const { label, value, source, probability } = one;
    const name = called(onto, label);
    const place = h("div", { class: "reason" });
    const state = value === null ? (probability === null ? "open" : `open, ${share(probability, 0)} yes`) : `${value ? "yes" : "no"}, ${source}`;
    const button = (words, said, mark = null) => h("button", { class: "button small", type: "button", "aria-label": `${name}: ${words}`, "aria-pressed": value === null || said === "cant_tell" ? null : String(value === said), onclick: () => say(label, said, value) }, mark && sign(mark), words);
    const reason = value === null ? null : h("button", { class: "link", type: "button", "aria-expanded": "false", "aria-label": `Why ${name} is ${value ? "yes" : "no"}`, onclick: (event) => explain(event.currentTarget, place, label) }, "Why");
    const asGold = value === null ? null : h("button", { class: "link", type: "button", "aria-label": `Make gold: ${name}, ${value ? "yes" : "no"}`, onclick: () => gold(label, value) }, "Make gold");
    return h("li", { "data-label": label }, h("span", { class: "sign-cell" }, sign(value === null ? "open" : value ? "yes" : "no", { named: value === null ? "open:" : value ? "yes:" : "no:" })),
      h("div", { class: "name" }, h("span", {}, name), h("span", { class: "note" }, [onto.path(label).map((one) => called(onto, one)).join(" › "), state].filter(Boolean).join(" · "), " ", reason, " ", asGold)),
      h("div", { class: "row" }, button("Yes", true), button("No", false), value === null ? button("Can’t tell", "cant_tell") : null), place);
  }

  async function explain(button, place, label) {
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) return put(place);
    try {
      const reason = await why(label);
      return put(place, reason ? reasonOf(onto, reason) : h("p", { class: "note" }, "By the ontology alone."));
    } catch (error) {
      return put(place, h("p", { class: "wrong", role: "alert" }, `${error.message} ${error.hint ?? ""}`));
    }
  }

  function take(details) {
    const rank = (one) => (one.value === true ? 0 : one.value === null ? 1 : 2);
    values = details.values.toSorted((a, b) => rank(a) - rank(b) || (b.probability ?? 0) - (a.probability ?? 0));
    total = details.labels;
  }

  function draw(details) {
    drawn += 1;
    coming = null;
    take(details);
    return fill();
  }

  /** The row of a label, or where one searches. */
  function focus(label = null) {
    const found = label === null ? search : [...rows.children].find((one) => one.dataset.label === label)?.querySelector("button");
    found?.focus();
    return Boolean(found);
  }

  return { element, draw, focus };
}

/** The opinions and rules that it follows from. */
function reasonOf(onto, { answers, steps, rules }) {
  const said = answers.map((one) => `${one.own ? "you" : one.who === "import" ? "the import" : one.who} ${one.decided ? "decided" : "said"} ${one.picked ? one.picked.map((label) => called(onto, label)).join(", ") || "none of these" : `${called(onto, one.label)}: ${one.value ? "yes" : "no"}`}, ${when(one.at)}`);
  return h("div", { class: "note" }, h("p", {}, `${list(said, { most: 6 })}.`), steps.length ? h("ol", {}, steps.map((step) => h("li", {}, step))) : null, rules.length && !steps.length ? h("p", {}, count(rules.length, "rule")) : null);
}
