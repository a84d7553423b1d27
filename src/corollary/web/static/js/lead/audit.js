// An audit: its questions come one at a time, without predictions, and are answered by key; a whole item by a pick.
import { get, post } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { itemOf } from "../shared/item.js";
import * as keys from "../shared/keys.js";
import { Pick } from "../shared/pick.js";
import { SENT } from "../shared/pick_options.js";
import { sign } from "../shared/signs.js";
import { count, number } from "../shared/words.js";
import { key, section, share } from "./sheet.js";

const SHOWN = 9; // options with a key of their own

/** The last audit; `changed` gets it with an unfinished acceptance, `failed` gets errors. */
export class AuditView {
  constructor(onto, { changed, failed }) {
    Object.assign(this, { onto, changed, failed });
    this.audit = null;
    this.skipped = 0;
    this.said = []; // the numbers of the answers given here, the last at the end
    this.busy = false;
    this.place = h("div", {});
    this.element = section("audit", "Audit", { note: "predictions are hidden, so that they influence nobody" }, this.place);
    const press = (one) => this.pick?.keys[one]();
    const digits = Object.fromEntries([..."1234567890"].map((one) => [one, () => press(one)]));
    this.keys = { yes: () => this.#sayYes(true), no: () => (this.pick ? this.pick.none() : this.#sayYes(false)), filter: () => press("filter"), tree: () => press("tree"), ...digits, cant_tell: () => this.#say("cant_tell"), skip: () => this.#later(), undo: () => this.#undo() };
  }

  async read({ focus = false } = {}) {
    const reply = await get(`sure/audits?skip=${this.skipped}`);
    const question = reply.audit?.question;
    const options = question && question.label === null ? await this.#optionsOf(question.item) : null;
    this.audit = reply.audit;
    this.pick = options && new Pick(this.onto, options, (value) => this.#say(value), { title: "Pick one", level: "h3" });
    this.#draw();
    if (focus) (this.place.querySelector(".question") ?? this.place.querySelector(".audit-state"))?.focus({ preventScroll: true });
    this.changed(this.audit, reply.under_way);
  }

  /** The options of a pick: the likeliest nine first, in the ontology's order, which does not show the prediction. */
  async #optionsOf(item) {
    const reply = await get(`options?${new URLSearchParams({ item: item.id, limit: SENT })}`);
    const ends = new Set(reply.ends), place = new Map(this.onto.labels.map((label, n) => [label, n]));
    const first = reply.options.filter((label) => ends.has(label)).slice(0, SHOWN).sort((a, b) => place.get(a) - place.get(b));
    return { ...reply, item, options: [...first, ...reply.options.filter((label) => !first.includes(label))] };
  }

  #draw() {
    const { audit } = this;
    const state = h("p", { class: "audit-state", role: "status", tabindex: "-1" }, audit ? [sign(SIGNS[audit.state], { kind: "quiet" }), ` ${inWords(audit)}`] : "No audit yet.");
    put(this.place, state, audit?.question ? this.#question(audit.question) : this.said.length ? h("p", { class: "row" }, this.#undoButton()) : null);
  }

  #question({ item, label, text, definition }) {
    const button = (action, words, { kind = "button", mark = null } = {}) => h("button", { class: kind, type: "button", onclick: this.keys[action], "aria-keyshortcuts": keys.shortcuts(action) }, mark && sign(mark), h("span", { class: "word" }, words), keys.caps(action, { most: 1 }));
    return h("div", { class: "audit-question" },
      h("h3", { class: "question", tabindex: "-1" }, label === null ? text : this.onto.grammar.withLabel(text, label)), definition ? h("p", { class: "definition" }, definition) : null, itemOf(item, text),
      this.pick ? this.pick.element : h("div", { class: "answers", role: "group", "aria-label": "Answers" }, button("yes", "Yes", { kind: "answer yes", mark: "yes" }), button("no", "No", { kind: "answer no", mark: "no" })),
      h("p", { class: "row" }, button("cant_tell", "Can’t tell"), button("skip", "Later"), this.said.length ? this.#undoButton() : null));
  }

  #undoButton() {
    return h("button", { class: "button plain", type: "button", onclick: this.keys.undo, "aria-keyshortcuts": keys.shortcuts("undo") }, sign("undo"), h("span", {}, "Undo the last answer"), keys.caps("undo", { most: 1 }));
  }

  #sayYes(value) {
    if (!this.pick) this.#say(value);
  }

  #say(value) {
    const question = this.audit?.question;
    if (!question) return;
    this.#act(async () => this.said.push((await post("answers", { key: key(), item: question.item.id, label: question.label, value, tell: 0 })).seq));
  }

  #later() {
    if (!this.audit?.question) return;
    this.skipped += 1;
    this.#act(async () => {});
  }

  #undo() {
    if (!this.said.length) return;
    this.#act(async () => {
      await post("undo", { key: key(), seq: this.said.at(-1), tell: 0 });
      this.said.pop();
    });
  }

  /** One thing at a time: the next question depends on what the last answer settled. */
  async #act(act) {
    if (this.busy) return;
    this.busy = true;
    try {
      await act();
      await this.read({ focus: true });
    } catch (error) {
      this.failed(error);
    } finally {
      this.busy = false;
    }
  }
}

const SIGNS = { open: "open", passed: "stored", failed: "no", outdated: "open" };

/** The state of an audit. */
export function inWords({ seq, state, drawn, unit, sure, at_least: least, right, wrong, to_answer: left, at_most: most, most_wrong: allowed }) {
  const said = `Audit ${number(seq)}, of ${number(drawn)} drawn from ${count(sure, unit === "items" ? "item" : "cell")} predicted with at least ${least}: `;
  const found = `${number(right)} right, ${number(wrong)} wrong`;
  switch (state) {
    case "open": return `${said}${found}, ${number(left.length)} to answer.`;
    case "passed": return `${said}passed. ${found}: at most ${share(most, 2)} are wrong with 95 % confidence. The limit is ${share(allowed, 2)}.`;
    case "failed": return `${said}failed. ${found}: that is too many for the limit of ${share(allowed, 2)} with 95 % confidence. Choose a higher probability or a higher limit, or wait for the next model.`;
    default: return `${said}it belongs to an earlier model or ontology. Draw another one.`;
  }
}
