// The dock: Yes and No with what each would settle, the ways around a question, and Undo. Answers never move.
import { h } from "../shared/dom.js";
import { caps, shortcuts } from "../shared/keys.js";
import { statement, wouldFollow } from "../shared/sentences.js";
import { sign } from "../shared/signs.js";
import { number } from "../shared/words.js";

/** The dock under a question; `acts` are what its buttons do, `done` the button that ends a choice of several. */
export function dockOf(onto, question, past, acts, done = null) {
  const answers = question.label === null ? null : h("div", { class: "answers" },
    answer(onto, question, true, acts.yes), answer(onto, question, false, acts.no));
  return h("div", { class: question.label === null ? "dock whole" : "dock", role: "group", "aria-label": "Answers" },
    h("div", { class: "sheet" }, answers,
      h("div", { class: "others" },
        done, other("cant_tell", "Can’t tell", acts.cant_tell),
        other("skip", ["Skip", h("span", { class: "wide" }, " for now")], acts.skip),
        other("flag", "Flag", acts.flag),
        undoButton(onto, past, acts.undo))));
}

function answer(onto, question, value, act) {
  const name = value ? "yes" : "no";
  const settled = value ? question.if_yes : question.if_no;
  const shown = settled !== null && settled !== undefined;
  const total = shown ? Object.keys(settled).length + 1 : 0;
  return h("div", { class: `side ${name}` },
    h("button", {
      class: `answer ${name}`, type: "button", id: `answer-${name}`, onclick: act,
      "aria-describedby": shown ? `settles-${name} follows-${name}` : null, "aria-keyshortcuts": shortcuts(name),
    },
    sign(name), h("span", { class: "word" }, value ? "Yes" : "No"),
    shown ? h("span", { class: "settles", id: `settles-${name}`, "aria-hidden": "true" }, `settles ${number(total)}`, h("span", { class: "wide" }, total === 1 ? " label" : " labels")) : null,
    caps(name)),
    shown ? h("p", { class: "follows", id: `follows-${name}` }, sign("logic"), h("span", {}, wouldFollow(onto, settled, value))) : null);
}

function other(action, words, act) {
  return h("button", { class: "button", type: "button", onclick: act, "aria-keyshortcuts": shortcuts(action) }, h("span", {}, words), caps(action, { most: 1 }));
}

/** Undo, with the name of what it takes back. */
export function undoButton(onto, past, act) {
  const { last } = past;
  return h("button", { class: "button plain undo", type: "button", onclick: act, "aria-disabled": last ? null : "true", "aria-keyshortcuts": shortcuts("undo") },
    sign("undo"), last ? h("span", {}, "Undo", h("span", { class: "wide" }, " ", statementText(onto, last))) : h("span", {}, h("span", { class: "wide" }, "Nothing to undo"), h("span", { class: "narrow" }, "Undo")),
    last && caps("undo", { most: 1 }));
}

function statementText(onto, act) {
  if (act.pick) return act.value.length ? `“${onto.name(act.value[0])}”` : "none of these";
  return h("span", {}, statement(onto, act)).textContent;
}

/** On small screens the page shows the labels that would follow. */
export function followsInPage(onto, question) {
  if (question.label === null || !question.if_yes || !question.if_no) return null;
  return h("section", { class: "follows-in-page" }, h("h2", {}, "What would follow"),
    [true, false].map((value) => h("p", {}, sign(value ? "yes" : "no"), h("b", {}, value ? "Yes: " : "No: "),
      wouldFollow(onto, value ? question.if_yes : question.if_no, value))));
}
