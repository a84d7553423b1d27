// One item: its labels and why, predictions and answers; answer or change any label here.
import { get, post } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { itemOf } from "../shared/item.js";
import * as keys from "../shared/keys.js";
import { PickHere } from "./pick_here.js";
import { sign } from "../shared/signs.js";
import { count, nameOf, when } from "../shared/words.js";
import { eventSign, eventWords, withdraw } from "../lead/said.js";
import { key, page, scroller, section, seconds, statusLine } from "../lead/sheet.js";
import { labelList } from "./labels_of_one.js";

const SENT = 200; // labels that come with the item; others come when they are searched for
const UNDOABLE = ["answer", "flag", "decision", "gold", "fact", "withdraw", "accept"];

/** The view of one item. */
export async function showOne(main, context, onto, id) {
  const view = new One(main, context, onto, id);
  await view.read();
  const digits = Object.fromEntries([..."1234567890"].map((one) => [one, () => view.pick.press(one)]));
  return keys.layer({ close: () => context.go("items"), filter: () => view.labels.focus(), no: () => view.pick.press("no"), ...digits });
}

class One {
  constructor(main, context, onto, id) {
    Object.assign(this, { main, context, onto, id });
    this.status = statusLine();
    this.item = h("div", { class: "one-item" });
    this.pick = new PickHere(onto, (value) => this.#sayWhole(value));
    this.labels = labelList(onto, { say: (label, value, known) => this.#say(label, value, known), gold: (label, value) => this.#gold(label, value), why: (label) => this.#why(label), all: () => this.#details() });
    this.conflicts = h("div", {});
    this.history = h("div", {});
    this.page = page(main, "Items", { wide: true, beside: "", buttons: [h("a", { class: "button small", href: "#/items" }, "Back to the list", keys.caps("close", { most: 1 }))] },
      this.status.line, h("div", { class: "one-columns" }, h("div", {}, this.item, this.pick.element, this.conflicts), section("labels", "Labels", { note: "you answer open ones and decide settled ones" }, this.labels.element)),
      section("said-of", "Answers", {}, this.history));
  }

  async read() {
    const [details] = await Promise.all([this.#details(`?values=${SENT}`), this.pick.read(this.id)]);
    this.details = details;
    this.pick.draw(details.open > 0);
    put(this.page.beside, [this.#howFar(details), details.withdrawn === null ? null : "withdrawn"].filter(Boolean).join(" · "));
    put(this.item, itemOf(details));
    await this.labels.draw(details);
    put(this.conflicts, details.conflicts.map((one) => h("p", { class: "look" }, sign("clash"), ` ${one.message} `, h("a", { href: `#/conflicts/${encodeURIComponent(this.id)}` }, "Settle"))));
    this.#drawHistory(details);
  }

  /** Where one label holds for each item, one answer settles all that is open. */
  #howFar({ open, labels }) {
    if (!this.context.me.one) return open ? `${count(open, "label")} open` : "every label is settled";
    return !open ? "labelled" : open < labels ? `partly labelled, ${count(open, "label")} open` : "not labelled yet";
  }

  #details(some = "") { return get(`items/${encodeURIComponent(this.id)}${some}`); }

  #drawHistory({ events, withdrawn }) {
    const undone = new Set(events.filter((one) => one.kind === "undo" || one.kind === "unflag").map((one) => one.refers));
    const line = (event) => {
      const gone = undone.has(event.seq);
      const words = eventWords(this.onto, event);
      const back = !gone && UNDOABLE.includes(event.kind) && h("button", { class: "button small", type: "button", "aria-label": `Take back: ${event.who}, ${words}`, onclick: () => this.#act(() => this.#takeBack(event, words)) }, "Take back");
      return h("tr", { class: gone ? "gone" : null }, h("td", { class: "start" }, when(event.at)), h("td", { class: "start" }, event.who), h("td", { class: "start" }, h("span", { class: "words-said" }, eventSign(event), words)),
        h("td", {}, event.seconds === null ? "" : seconds(event.seconds)), h("td", {}, back || (gone ? "taken back" : "")));
    };
    put(this.history, events.length
      ? scroller("Table of answers", h("table", { class: "log" }, h("thead", {}, h("tr", {}, ["When", "Who", "What"].map((one) => h("th", { scope: "col", class: "start" }, one)), h("th", { scope: "col" }, "Took"), h("td", {}))), h("tbody", {}, events.map(line))))
      : h("p", { class: "quiet" }, "Nothing yet."),
    withdrawn === null ? h("p", { class: "row" }, h("button", { class: "button small", type: "button", onclick: () => this.#act(() => withdraw(this.id)) }, "Withdraw this item")) : null);
  }

  /** Open labels are answered; settled ones are decided, because a lead's decision overrules answers. */
  #say(label, value, known) {
    return this.#act(async () => {
      const reply = known === null ? await post("answers", { key: key(), item: this.id, label, value, tell: 0 }) : await post("decisions", { key: key(), item: this.id, label, value });
      const also = reply.n_settled > 1 ? ` ${count(reply.n_settled, "label")} settled.` : "";
      const what = value === "cant_tell" ? `You can’t tell if ${nameOf(this.details)} ${this.onto.grammar.is(label)}.` : `${known === null ? "Answered" : "Decided"}: ${nameOf(this.details)} ${this.onto.grammar.is(label, value)}.`;
      return `${what}${also}${reply.conflict ? " What was said of it conflicts now." : ""}`;
    }, label);
  }

  /** People may be asked it as if it were open: who errs is seen under People. */
  #gold(label, value) {
    return this.#act(async () => {
      await post("gold", { key: key(), item: this.id, label, value });
      const { gold_share: part } = await get("settings");
      return `Gold: ${nameOf(this.details)} ${this.onto.grammar.is(label, value)}.${part ? "" : " Nobody is asked it while the setting gold_share is 0."}`;
    }, label);
  }

  /** Pick the label that holds, which settles all open labels. */
  #sayWhole(value) {
    return this.#act(async () => {
      const reply = await post("answers", { key: key(), item: this.id, label: null, value, tell: 0 });
      const what = value === "cant_tell" ? `You can’t tell what ${nameOf(this.details)} is.` : `Answered: ${nameOf(this.details)} ${value.length ? this.onto.grammar.is(value[0]) : "is none of these"}.`;
      return `${what}${reply.conflict ? " What was said of it conflicts now." : ""}`;
    });
  }

  async #takeBack(event, words) {
    const reply = await post("undo", { key: key(), seq: event.seq, tell: 0 });
    return `Taken back: ${words}.${reply.n_opened && event.label !== null ? ` ${count(reply.n_opened, "label")} open again.` : ""}`;
  }

  async #why(label) {
    const reply = await get(`explain?${new URLSearchParams({ item: this.id, label })}`);
    return reply.answers.length || reply.steps.length ? reply : null;
  }

  async #act(act, label = null) {
    try {
      const words = await act();
      await this.read();
      this.status.say(words);
      if (label === null || !this.labels.focus(label)) this.main.querySelector("h1").focus();
    } catch (error) {
      this.status.fail(error);
    }
  }
}
