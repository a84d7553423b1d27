// All that people said, the last first: by whom, of what; and the way to take any of it back.
import { get, post } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { count, labelsOfItems, nameOf, number, when } from "../shared/words.js";
import { inBatches } from "./batches.js";
import { eventSign, eventWords, withdraw } from "./said.js";
import { key, page, scroller, seconds, statusLine } from "./sheet.js";

const PAGE = 100;
const KINDS = { "": "everything", yes: "yes", no: "no", whole: "whole items", cant_tell: "can’t tell", skip: "skipped", decision: "decisions", gold: "gold answers", flag: "flags", doubt: "doubts", fact: "imported", accept: "accepted", withdraw: "withdrawals" };
const UNDOABLE = ["answer", "flag", "decision", "gold", "fact", "withdraw", "accept"];

/** The view. */
export async function show(main, context) {
  const [people] = await Promise.all([get("people")]);
  const status = statusLine();
  const body = h("tbody", {});
  const more = h("button", { class: "button", type: "button", hidden: true, onclick: () => read(before) }, "Show earlier answers");
  const shown = h("p", { class: "note", role: "status" });
  const about = h("p", { class: "row" });
  let before = null;

  const who = h("select", { id: "by" }, h("option", { value: "" }, "everybody"), [...people.map((one) => one.name), "import"].map((name) => h("option", { value: name }, name)));
  const kind = h("select", { id: "kind" }, Object.entries(KINDS).map(([value, words]) => h("option", { value }, words)));
  const label = h("select", { id: "of-label" }, h("option", { value: "" }, "any"), context.onto.labels.map((name) => h("option", { value: name }, context.onto.name(name))));
  const item = h("input", { type: "search", id: "of-item", autocomplete: "off" });
  const filters = h("form", { class: "filters", "aria-label": "Filter", onsubmit: (event) => { event.preventDefault(); read(null); } },
    field("By", who), field("Kind", kind), field("Label", label), field("Item, by its identifier", item), h("button", { class: "button" }, "Show"));
  for (const one of [who, kind, label]) one.addEventListener("change", () => read(null));

  async function read(from) {
    const wanted = new URLSearchParams({ limit: PAGE });
    for (const [name, value] of Object.entries({ who: who.value, kind: kind.value, label: label.value, item: item.value.trim(), before: from })) if (value) wanted.set(name, value);
    try {
      const { events, next_before: next } = await get(`log?${wanted}`);
      if (!from) put(body);
      body.append(...events.map((event) => row(event)));
      before = next;
      more.hidden = next === null;
      const n = body.childElementCount;
      put(about, item.value.trim() && events.length && !from ? h("button", { class: "button small", type: "button", onclick: () => takeOut(item.value.trim()) }, "Withdraw this item") : null);
      put(shown, n ? `${count(n, "line")}${next === null ? "" : `, and earlier ones`}` : "No answer fits.");
    } catch (error) {
      status.fail(error);
    }
  }

  function row(event) {
    const words = eventWords(context.onto, event);
    const name = nameOf({ id: event.item, text: event.text });
    const line = h("tr", { class: event.stands ? null : "gone" });
    const undo = event.stands && UNDOABLE.includes(event.kind) && h("button", { class: "button small", type: "button", "aria-label": `Take back: ${event.who}, ${name}, ${words}`, onclick: () => takeBack(event, line, `${name}, ${words}`) }, "Take back");
    return put(line, h("td", { class: "start" }, number(event.seq)), h("td", { class: "start" }, when(event.at)), h("td", { class: "start" }, event.who), h("th", { scope: "row", class: "wrap" }, name),
      h("td", { class: "start" }, h("span", { class: "words-said" }, eventSign(event), words)), h("td", {}, event.seconds === null ? "" : seconds(event.seconds)), h("td", {}, h("span", { class: "actions" }, undo && event.detail?.group ? takeAll(event) : null, undo || (event.stands ? "" : "taken back"))));
  }

  /** Answers that were given together are taken back together. */
  function takeAll({ seq, detail: { group } }) {
    return h("button", { class: "button small", type: "button", "aria-label": `Take back all answers given together with number ${seq}`, onclick: async () => {
      try {
        const reply = await inBatches("group-undo", { key: key(), group }, (done, total) => status.say(`Taking back: ${number(done)} of ${number(total)}.`));
        await read(null);
        status.say(`Taken back: ${count(reply.done, "answer")} that were given together; ${labelsOfItems(reply.opened)} open again.`);
        main.querySelector("h1").focus();
      } catch (error) {
        status.fail(error);
      }
    } }, "Take back the whole group");
  }

  async function takeOut(id) {
    try {
      const words = await withdraw(id);
      await read(null);
      status.say(words);
      main.querySelector("h1").focus();
    } catch (error) {
      status.fail(error);
    }
  }

  async function takeBack(event, line, words) {
    try {
      const reply = await post("undo", { key: key(), seq: event.seq });
      line.replaceWith(row({ ...event, stands: false }));
      status.say(`Taken back: ${words}${reply.opened.length ? `; ${count(reply.opened.length, "label")} ${reply.opened.length === 1 ? "is" : "are"} open again` : ""}.`);
      main.querySelector("h1").focus();
    } catch (error) {
      status.fail(error);
    }
  }

  page(main, "Answers", { beside: "everybody’s answers, the last first" }, status.line, filters, about, shown,
    scroller("Answers", h("table", { class: "log" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "No."), ["When", "Who", "Item", "Answer"].map((one) => h("th", { scope: "col", class: "start" }, one)), h("th", { scope: "col" }, "Took"), h("td", {}))), body)),
    h("p", { class: "row" }, more));
  await read(null);
  return null;
}

const field = (words, control) => h("div", { class: "field" }, h("label", { for: control.id }, words), control);
