// The annotator's view: one question at a time, answered at once, stored behind the scenes.
import { askOf } from "./question.js";
import { Clash } from "./contradiction.js";
import { dockOf, undoButton } from "./dock.js";
import { h, put } from "../shared/dom.js";
import { flagForm } from "./flag.js";
import * as keys from "../shared/keys.js";
import { Ledger } from "./settled.js";
import { knownOf } from "./label_place.js";
import { rebuild } from "./question_again.js";
import { afterAnswer, afterUndo, setBeside } from "../shared/sentences.js";
import { stateOf } from "./no_question.js";
import { cellOf } from "../offline/questions_at_hand.js";
import { nameOf } from "../shared/words.js";
import { pickSettles, wholeOf } from "./whole_item.js";

const BRIEF = { tell: 20 }; // a pick may settle very many labels: how many is enough

/** The view; it goes on where it was when someone comes back to it. */
export class LabelView {
  constructor(context) {
    this.context = context;
    this.ledger = new Ledger();
    this.shown = null; // the question on the screen
    this.began = 0;
    this.clashes = []; // several may come at once, after a time offline
    this.flagging = false;
    this.acts = {
      yes: () => this.#say(true),
      no: () => (this.whole ? this.whole.none() : this.#say(false)),
      cant_tell: () => this.#say("cant_tell"),
      skip: () => this.#say("skip"),
      flag: () => this.#flag(true),
      undo: () => this.undo(),
    };
    const { supply, outbox, tab } = context;
    tab.addEventListener("lost", () => this.#leave());
    tab.addEventListener("taken", () => this.visible && this.#draw());
    supply.addEventListener("change", () => this.#refresh());
    outbox.addEventListener("stored", ({ detail }) => this.#stored(detail.act, detail.reply));
    outbox.addEventListener("refused", ({ detail }) => this.#refused(detail.act, detail.error));
    outbox.addEventListener("change", () => !this.shown && this.#refresh());
  }

  /** Show it in the page; the function that comes back takes it away. */
  show(main) {
    this.body = h("div", { class: "body" });
    put(main, h("div", { class: "sheet top" }, this.ledger.element), this.body);
    const { go } = this.context;
    const endKeys = keys.layer({ ...this.acts, why: () => this.ledger.toggle(), history: () => go("history"), keys: () => go("keys"), guidelines: () => go("guidelines") });
    this.shown = null;
    this.visible = true;
    if (this.ledger.isEmpty) this.ledger.tell(welcome(this.context.me));
    this.#draw();
    return () => {
      endKeys();
      this.endLayer?.();
      this.endLayer = null;
      this.visible = false;
    };
  }

  get clash() { return this.clashes[0] ?? null; }

  get #isSignedOut() { return this.context.supply.error?.status === 401; }

  /** Another tab asks from now on; what was begun here and not said is dropped. */
  #leave() {
    this.flagging = false;
    if (this.visible) this.#draw({ focus: false });
  }

  get #question() { return this.context.supply.current; }

  #refresh() {
    if (!this.visible) return;
    if (this.clash || this.flagging) return;
    if (this.shown && this.#question === this.shown && !this.#isSignedOut) return;
    this.#draw({ focus: false });
  }

  /** Draw the clash, the question or the reason why there is none. */
  #draw({ focus = true } = {}) {
    this.endLayer?.();
    this.endLayer = null;
    this.whole = null;
    const { supply, tab } = this.context;
    if (this.clash && tab.here) return this.#drawClash();
    const question = this.#question;
    if (!question || !tab.here || supply.left || supply.returned || this.#isSignedOut) {
      this.shown = null;
      return stateOf(this.body, this.context);
    }
    const fresh = this.shown !== question;
    const inside = this.body.contains(document.activeElement); // the element in focus is about to go
    this.shown = question;
    if (fresh) this.began = performance.now();
    this.#drawQuestion(question);
    if (focus || inside) this.body.querySelector("h1").focus({ preventScroll: true });
    if (fresh) scrollTo(0, 0);
    return null;
  }

  #drawQuestion(question) {
    const { onto, past } = this.context;
    document.title = question.text;
    delete this.body.dataset.state;
    if (question.label === null) this.whole = wholeOf(onto, question, (labels) => this.#say(labels));
    this.endLayer = keys.layer(this.flagging ? { close: () => this.#flag(false) } : this.whole?.keys ?? {});
    const dock = this.flagging ? this.#flagForm(question) : dockOf(onto, question, past, this.acts, this.whole?.done);
    put(this.body, askOf(onto, question, this.whole), dock);
  }

  /** Earlier answers have become known: Undo names the last of them. */
  drawUndo() {
    this.body?.querySelector(".undo")?.replaceWith(undoButton(this.context.onto, this.context.past, this.acts.undo));
  }

  #drawClash() {
    this.shown = null;
    delete this.body.dataset.state;
    const view = this.clash.view();
    this.#tell(this.clash.ledger(), this.clash.said);
    put(this.body, view);
    document.title = "These can’t all be true";
    this.endLayer = keys.layer(this.clash.keys);
    view.querySelector("h1").focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  #flag(open) {
    if (!this.shown) return;
    this.flagging = open;
    this.#draw();
    if (!open) return;
    this.body.querySelector(".flag input").focus({ preventScroll: true });
    this.body.querySelector(".flag").scrollIntoView({ block: "end" });
  }

  #flagForm(question) {
    return flagForm(this.context, question, {
      cancel: () => this.#flag(false),
      done: ({ reason, note, rule }) => {
        this.flagging = false;
        const { item, label } = question;
        this.#act("flags", { item: item.id, label, reason, note, rule }, question, { kind: "flag", value: reason, settled: null });
      },
    });
  }

  /** Say something about the question on the screen, and go on to the next one. */
  #say(value) {
    const question = this.shown;
    if (!question || this.clash || this.flagging || !this.context.tab.here) return;
    if (question.label === null && typeof value === "boolean") return;
    const seconds = Math.min((performance.now() - this.began) / 1000, 86_400);
    const { item, label, lease } = question;
    const body = { item: item.id, label, value, seconds: Math.round(seconds * 1000) / 1000, lease: lease ?? null, ...(question.one ? BRIEF : {}) };
    this.#act("answers", body, question, { kind: "answer", value, settled: settledBy(this.context.onto, question, value), pick: Boolean(question.one) && Array.isArray(value) });
  }

  #act(path, body, question, { kind, value, settled, pick = false }) {
    const { outbox, supply, past, onto } = this.context;
    const { item, label } = question;
    const key = outbox.add({ path, body, cell: cellOf(question), about: nameOf(item) });
    const act = { key, seq: null, item, label, value, kind, settled, pick, known: [...knownOf(question)], question };
    past.add(act);
    supply.take(question, { skipped: value === "skip" });
    this.#tell(afterAnswer(onto, act), act);
    this.#draw();
  }

  /** Take back the last thing that was said, and ask it again. */
  async undo() {
    const { outbox, supply, past, onto } = this.context;
    if (this.clash || this.flagging || !this.context.tab.here) return;
    const act = past.pop();
    if (!act) return this.#tell({ mark: "undo", text: ["Nothing to undo."] });
    if (!(act.key && outbox.drop(act.key))) {
      outbox.add({ path: "undo", body: act.label === null ? BRIEF : {}, of: act.key, seq: act.seq, about: nameOf(act.item), undone: act });
    }
    this.#tell(afterUndo(onto, act, act.settled ? Object.keys(act.settled).length : null), act);
    const question = act.question ?? (await rebuild(onto, act).catch(() => null));
    if (question) supply.putBack(question);
    return this.#draw();
  }

  #tell(said, act = null) {
    this.ledger.tell(said, this.context.onto, act?.item, this.context.bar.savedWords());
  }

  /** The server has it: say what it settled, where that is not what was expected. */
  #stored(act, reply) {
    const { past, bar, onto } = this.context;
    past.stored(act.key, reply.seq);
    if (reply.counts) bar.count(reply.counts);
    const said = past.acts.find((one) => one.key === act.key);
    if (act.path === "answers" && reply.conflict && said) {
      this.clashes.push(new Clash(this.context, said, reply, (outcome) => this.#closeClash(outcome)));
      if (this.visible && this.clashes.length === 1) this.#draw();
      return;
    }
    if (act.path === "answers" && said && said === past.last) this.#correct(said, reply);
    if (act.path === "undo" && act.undone && this.#isLastUndo(act)) {
      this.#tell(afterUndo(onto, act.undone, followed(reply, act.undone.label)), act.undone);
    }
  }

  #isLastUndo(act) {
    return !this.context.outbox.acts.length && (this.context.past.last?.seq ?? 0) <= (act.undone.seq ?? Infinity);
  }

  #correct(said, reply) {
    if (reply.second_opinion) {
      this.#tell(setBeside(this.context.onto, said, { second: true, tail: "It is stored beside the earlier answers." }), said);
      return;
    }
    if (!reply.settled.length || said.pick) return;
    const settled = Object.fromEntries(reply.settled.filter((one) => one.label !== said.label).map((one) => [one.label, one.value]));
    const same = said.settled && Object.keys(said.settled).length === Object.keys(settled).length;
    said.settled = settled;
    if (!same || reply.item_done) this.#tell(afterAnswer(this.context.onto, said, { done: reply.item_done }), said);
  }

  #closeClash(outcome) {
    this.#tell(outcome);
    this.clashes.shift();
    if (this.visible) this.#draw();
  }

  #refused(act, error) {
    const { past, notices } = this.context;
    past.forget({ key: act.key });
    notices.failed(`Your answer about ${act.about} was refused. ${error.message} ${error.hint}`);
    this.context.supply.refill();
  }
}

/** Before the first answer here: the campaign, and special settings of it. */
function welcome({ about, one }) {
  const short = one ? "Pick the narrowest label that fits. The likeliest come first." : "Each answer also settles everything that follows from it.";
  return { mark: "logic", text: [about ? `${about} ${short}` : short], short: [short] };
}

/** The labels that an answer settles besides, if the question has them; else null. */
function settledBy(onto, question, value) {
  if (Array.isArray(value)) return question.one ? null : pickSettles(onto, question.options, value);
  if (value === true) return question.if_yes ?? null;
  if (value === false) return question.if_no ?? null;
  return null;
}

const followed = ({ opened, n_opened: n }, label) => (label === null ? n : opened.filter((one) => one.label !== label).length);
