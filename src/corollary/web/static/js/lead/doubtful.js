// Answers that are probably wrong, the worst first: one at a time, each settled by one key, and the last one undone by another.
import { get, post } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { itemOf } from "../shared/item.js";
import * as keys from "../shared/keys.js";
import { loadOntology } from "../shared/ontology.js";
import { opinionWords } from "../shared/sentences.js";
import { sign } from "../shared/signs.js";
import { chance, count, nameOf, number, when } from "../shared/words.js";
import { watch } from "./live.js";
import { key, page, statusLine } from "./sheet.js";

const AT_ONCE = 20;
const LIKELY = 0.5; // those below are more probably right

/** The view. */
export async function show(main, context) {
  const onto = context.onto.labels.length ? context.onto : await loadOntology();
  const view = new Doubtful(main, context, onto);
  await view.read();
  const ends = [watch({ counts: (progress) => view.counts(progress) }), keys.layer(view.keys)];
  return () => ends.forEach((end) => end());
}

const nameOfAnswer = ({ answer: { seq, label } }) => `${seq} ${label}`;

class Doubtful {
  constructor(main, context, onto) {
    Object.assign(this, { context, onto });
    this.queue = [];
    this.later = new Set(); // answers that were put off, by event and label
    this.settled = []; // what was decided here, the last at the end
    this.least = LIKELY;
    this.busy = false;
    this.status = statusLine();
    this.place = h("div", {});
    this.page = page(main, "Probably wrong", { wide: false, beside: "", buttons: [h("a", { class: "button small", href: "#/conflicts" }, "Conflicts", keys.caps("close", { most: 1 }))] }, this.status.line, this.place);
    this.keys = { yes: () => this.#decide(true), no: () => this.#decide(false), cant_tell: () => this.#next(), skip: () => this.#next(), undo: () => this.#undo(), close: () => context.go("conflicts") };
  }

  counts(progress) {
    this.context.bar.setWaiting(progress);
    const isNew = this.seen !== undefined && progress.improbable > this.seen;
    this.seen = progress.improbable;
    if (isNew && this.on && !this.queue.length && !this.busy) this.#act(() => this.read());
  }

  /** It is worked out for all that was said: with many answers that takes a while. */
  async read() {
    const slow = setTimeout(() => this.status.say("Computing."), 400);
    try {
      const trust = await get("trust");
      this.on = trust.fallible;
      if (!this.on) return this.#drawOff();
      const found = await get(`doubtful?${new URLSearchParams({ n: Math.min(500, AT_ONCE + this.later.size), at_least: this.least })}`);
      this.queue = found.filter((one) => !this.later.has(nameOfAnswer(one)));
      put(this.page.beside, `about ${about(trust.wrong)} of ${count(trust.known, "known label")} ${about(trust.wrong) === "1" ? "is" : "are"} probably wrong`);
      return this.#draw();
    } finally {
      clearTimeout(slow);
      if (this.status.line.textContent === "Computing.") this.status.say();
    }
  }

  #drawOff() {
    put(this.place, h("p", { class: "intro" }, "All answers count as true here. The setting “fallible” weighs answers by the reliability of people, and lists the probably wrong ones here. ", h("a", { href: "#/settings" }, "Go to the settings")));
  }

  #draw() {
    put(this.place, this.queue.length ? this.#answer(this.queue[0]) : this.#nothing());
  }

  #answer({ item, answer, probability, why, in_effect: counts }) {
    const said = `${answer.own ? "You" : answer.who} said ${opinionWords(this.onto, item, answer)}.`;
    return h("div", { class: "audit-question" },
      h("h2", { class: "question", tabindex: "-1" }, this.onto.grammar.withLabel(said, answer.picked?.[0] ?? answer.label), " Is that right?"),
      h("div", {}, h("p", { class: "wrong-with" }, h("b", {}, `Wrong with a probability of ${chance(probability)}.`), ` ${why}`),
        h("p", { class: "note" }, `Said ${when(answer.at)}. ${counts ? "It counts for now." : "It does not count for now."} `, h("a", { href: `#/items/${encodeURIComponent(item.id)}` }, `All answers about ${nameOf(item)}`))),
      itemOf(item, said),
      h("div", { class: "answers", role: "group", "aria-label": "Settle it" }, this.#button("yes", "It is right", { kind: "answer yes", mark: "yes" }), this.#button("no", "It is wrong", { kind: "answer no", mark: "no" })),
      h("p", { class: "row" }, this.#button("skip", "Skip"), this.#undoButton()));
  }

  #nothing() {
    const again = this.later.size ? h("button", { class: "button", type: "button", onclick: () => this.#look(this.least, { all: true }) }, `Show ${count(this.later.size, "skipped answer")}`) : null;
    const further = this.least ? h("button", { class: "button", type: "button", onclick: () => this.#look(0) }, "Show less doubtful answers") : null;
    return h("div", { class: "audit-question" }, h("p", { class: "intro audit-state", tabindex: "-1" }, this.least ? `No${this.later.size ? " other" : ""} answer is probably wrong.` : "There are no other answers to check."), h("p", { class: "row" }, again, further, this.#undoButton()));
  }

  #button(action, words, { kind = "button", mark = null } = {}) {
    return h("button", { class: kind, type: "button", onclick: this.keys[action], "aria-keyshortcuts": keys.shortcuts(action) }, mark && sign(mark), h("span", { class: "word" }, words), keys.caps(action, { most: 1 }));
  }

  #undoButton() {
    const last = this.settled.at(-1);
    return last ? h("button", { class: "button plain undo", type: "button", onclick: this.keys.undo, "aria-keyshortcuts": keys.shortcuts("undo") }, sign("undo"), h("span", {}, `Undo ${last.words}`), keys.caps("undo", { most: 1 })) : null;
  }

  /** A lead's decision beats all answers: for what was said, or for the opposite. Then the rest of its item is weighed anew. */
  #decide(right) {
    const [one] = this.queue;
    if (!one) return;
    const { item, answer: { label, value, picked, seq } } = one;
    this.#act(async () => {
      if (picked && !picked.length && !right) { // which it is nobody said: the answer is rejected, and the item asked again
        await post("undo", { key: key(), seq, tell: 0 });
        this.queue = this.queue.filter((other) => other.item.id !== item.id);
        await this.#go();
        this.status.say(`No longer counts: ${opinionWords(this.onto, item, one.answer)}.`);
        return;
      }
      const reply = await post("decisions", { key: key(), item: item.id, label, value: right === value });
      const words = `${nameOf(item)} ${this.onto.grammar.is(label, right === value)}`;
      this.settled.push({ seq: reply.seq, name: nameOfAnswer(one), words });
      this.queue = this.queue.filter((other) => other.item.id !== item.id);
      await this.#go();
      this.status.say(`Decided: ${words}.${reply.n_settled > 1 && !picked ? ` That settled ${count(reply.n_settled, "label")}.` : ""}`);
    });
  }

  #next() {
    const [one] = this.queue;
    if (!one) return;
    this.later.add(nameOfAnswer(one));
    this.#act(async () => {
      this.queue.shift();
      await this.#go();
      this.status.say();
    });
  }

  #undo() {
    const last = this.settled.at(-1);
    if (!last) return;
    this.#act(async () => {
      await post("undo", { key: key(), seq: last.seq, tell: 0 });
      this.settled.pop();
      await this.read();
      this.queue.sort((a, b) => (nameOfAnswer(b) === last.name) - (nameOfAnswer(a) === last.name));
      this.#draw();
      this.status.say(`Taken back: ${last.words}.`);
    });
  }

  #look(least, { all = false } = {}) {
    this.#act(async () => {
      this.least = least;
      if (all) this.later.clear();
      await this.read();
    });
  }

  #go() {
    return this.queue.length ? this.#draw() : this.read();
  }

  /** One thing at a time; then one reads on at the top. */
  async #act(act) {
    if (this.busy || !this.on) return;
    this.busy = true;
    try {
      await act();
      this.place.querySelector(".question, .audit-state")?.focus({ preventScroll: true });
      scrollTo(0, 0);
    } catch (error) {
      this.status.fail(error);
    } finally {
      this.busy = false;
    }
  }
}

/** "0.4", "12". */
const about = (x) => (x < 9.95 ? String(Number(x.toFixed(1))) : number(Math.round(x)));
