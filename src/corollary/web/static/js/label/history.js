// A person's answers, the last first, with buttons to take one back or look at it again.
import { get } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { layer } from "../shared/keys.js";
import { actOf } from "./undo.js";
import { rebuild } from "./question_again.js";
import { statement } from "../shared/sentences.js";
import { sign } from "../shared/signs.js";
import { capital, leadOf, when } from "../shared/words.js";

const PAGE = 50;
const MARKS = { true: "yes", false: "no", cant_tell: "open", skip: "open" };

/** The view. */
export function showHistory(main, context) {
  const rows = h("ol", { class: "history" });
  const more = h("button", { class: "button", type: "button", hidden: true }, "Show earlier answers");
  const status = h("p", { class: "note", role: "status" }, "");
  let before = null;

  async function read() {
    try {
      await context.outbox.send();
      const { events, next_before: next } = await get(`history?limit=${PAGE}&offered=false${before ? `&before=${before}` : ""}`);
      rows.append(...events.map((event) => row(context, event, status)));
      before = next;
      more.hidden = next === null;
      put(status, rows.childElementCount ? "" : "You have not answered anything yet.");
    } catch (error) {
      put(status, `${error.message} ${error.hint ?? ""}`);
    }
  }

  more.addEventListener("click", read);
  const end = layer({ close: () => context.go(""), history: () => context.go(""), keys: () => context.go("keys") });
  put(main, h("article", { class: "sheet page" }, h("h1", { tabindex: "-1" }, "Your answers"),
    h("p", { class: "intro" }, "Taking an answer back reopens only the labels that followed from it."), status, rows, more,
    h("div", { class: "row" }, h("a", { class: "button", href: "#/" }, "Back to the question"))));
  read();
  return end;
}

function row(context, event, status) {
  const { onto } = context;
  const act = actOf(event);
  const undo = event.stands && (event.kind === "answer" || event.kind === "flag");
  const what = h("span", { class: "what" }, event.kind === "doubt" ? `note for ${leadOf(context.me)} on ${event.item}` : statement(onto, act));
  const line = h("li", { class: event.stands ? null : "gone" },
    sign(event.kind === "answer" ? MARKS[String(event.value)] ?? "yes" : "flag"), what,
    h("span", { class: "note" }, when(event.at), event.stands ? "" : " · taken back"));
  if (undo) {
    const name = h("span", {}, statement(onto, act)).textContent;
    line.append(h("span", { class: "row" },
      h("button", { class: "button small", type: "button", "aria-label": `Take back: ${name}`, onclick: () => takeBack(context, act, line, status) }, "Take back"),
      h("button", { class: "button small plain", type: "button", "aria-label": `Ask again: ${name}`, onclick: () => askAgain(context, act) }, "Ask again")));
  }
  return line;
}

function takeBack(context, act, line, status) {
  const { outbox, past, onto } = context;
  outbox.add({ path: "undo", body: {}, seq: act.seq, about: act.item.id });
  past.forget({ seq: act.seq });
  line.className = "gone";
  line.querySelector(".row").remove();
  put(status, capital(`taken back: ${h("span", {}, statement(onto, act)).textContent}.`));
}

async function askAgain(context, act) {
  const known = context.past.acts.find((one) => one.seq === act.seq);
  const question = known?.question ?? (await rebuild(context.onto, act));
  context.supply.putBack(question);
  context.go("");
}

