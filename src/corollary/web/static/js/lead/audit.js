// An audit: its cells are asked one at a time, without what is predicted of them, and answered by key.
import { get, post } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { itemOf } from "../shared/item.js";
import * as keys from "../shared/keys.js";
import { sign } from "../shared/signs.js";
import { count, number } from "../shared/words.js";
import { key, section, share } from "./sheet.js";

/** The last audit; `changed` is told how it stands, `failed` what went wrong. */
export class AuditView {
  constructor(onto, { changed, failed }) {
    Object.assign(this, { onto, changed, failed });
    this.audit = null;
    this.skipped = 0;
    this.said = []; // the numbers of the answers given here, the last at the end
    this.busy = false;
    this.place = h("div", {});
    this.element = section("audit", "Audit", { note: "what is predicted is not shown, so that nobody is led by it" }, this.place);
    this.keys = { yes: () => this.#say(true), no: () => this.#say(false), cant_tell: () => this.#say("cant_tell"), skip: () => this.#later(), undo: () => this.#undo() };
  }

  async read({ focus = false } = {}) {
    ({ audit: this.audit } = await get(`sure/audits?skip=${this.skipped}`));
    this.#draw();
    if (focus) (this.place.querySelector(".question") ?? this.place.querySelector(".stands"))?.focus({ preventScroll: true });
    this.changed(this.audit);
  }

  #draw() {
    const { audit } = this;
    const stands = h("p", { class: "stands", role: "status", tabindex: "-1" }, audit ? [sign(SIGNS[audit.state], { kind: "quiet" }), ` ${inWords(audit)}`] : "No audit yet.");
    put(this.place, stands, audit?.question ? this.#question(audit.question) : this.said.length ? h("p", { class: "row" }, this.#undoButton()) : null);
  }

  #question({ item, label, text, definition }) {
    const button = (action, words, { kind = "button", mark = null } = {}) => h("button", { class: kind, type: "button", onclick: this.keys[action], "aria-keyshortcuts": keys.shortcuts(action) }, mark && sign(mark), h("span", { class: "word" }, words), keys.caps(action, { most: 1 }));
    return h("div", { class: "audit-question" },
      h("h3", { class: "question", tabindex: "-1" }, this.onto.grammar.withLabel(text, label)), definition ? h("p", { class: "definition" }, definition) : null, itemOf(item, text),
      h("div", { class: "answers", role: "group", "aria-label": "Answers" }, button("yes", "Yes", { kind: "answer yes", mark: "yes" }), button("no", "No", { kind: "answer no", mark: "no" })),
      h("p", { class: "row" }, button("cant_tell", "Can’t tell"), button("skip", "Later"), this.said.length ? this.#undoButton() : null));
  }

  #undoButton() {
    return h("button", { class: "button plain", type: "button", onclick: this.keys.undo, "aria-keyshortcuts": keys.shortcuts("undo") }, sign("undo"), h("span", {}, "Undo the last answer"), keys.caps("undo", { most: 1 }));
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

/** How an audit stands. */
export function inWords({ seq, state, drawn, cells, at_least: least, right, wrong, to_answer: left, at_most: most, most_wrong: allowed }) {
  const said = `Audit ${number(seq)}, of ${number(drawn)} drawn from ${count(cells, "cell")} predicted with at least ${least}: `;
  const found = `${number(right)} right, ${number(wrong)} wrong`;
  switch (state) {
    case "open": return `${said}${found}, ${number(left.length)} to answer.`;
    case "passed": return `${said}passed. ${found}: at most ${share(most, 2)} of all are wrong, at 95 %, and ${share(allowed, 2)} may be.`;
    case "failed": return `${said}failed. ${found}, which is more than the ${share(allowed, 2)} allowed of all, at 95 %. Ask for a higher probability, allow for more wrong ones, or wait for the next model.`;
    default: return `${said}of an earlier model or ontology than the one in use. Draw another.`;
  }
}
