// A contradiction, in place of the question: the smallest clash line by line, and the ways out of it.
import { blame } from "../shared/blame.js";
import { h } from "../shared/dom.js";
import { cap, keysOf } from "../shared/keys.js";
import { sign } from "../shared/signs.js";
import { Ontology, parseRule } from "../shared/ontology.js";
import { afterUndo, opinionWords, setBeside, statement } from "../shared/sentences.js";
import { capital, leadOf, list, nameOf, when } from "../shared/words.js";

const LINES = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const GUARD_MS = 500; // keys meant for the question before do not choose a way out

/** A clash that an answer made. `close` is called when a way out was taken. */
export class Clash {
  constructor(context, said, reply, close) {
    Object.assign(this, { context, said, reply, close });
    this.conflict = this.#inOrder(reply.conflict);
    const ways = this.#ways();
    this.keys = {
      ...Object.fromEntries(ways.filter((way) => way.key !== "Space").map((way) => [way.key, () => this.#take(way)])),
      cant_tell: () => this.#take(ways.at(-1)),
      ...Object.fromEntries(["yes", "no", "skip", "flag", "undo"].map((action) => [action, () => {}])),
    };
    this.ways = ways;
  }

  /** One's own new answer first, then the others, then the rules from the answers up. */
  #inOrder({ opinions, rules, ...rest }) {
    this.conflict = { opinions, rules };
    const between = this.#between();
    const place = (rule) => {
      const { kind, children = [] } = parseRule(rule.text);
      return kind === "above" ? Math.min(...children.map((child) => between.indexOf(child)).filter((n) => n >= 0)) : Infinity;
    };
    return {
      ...rest,
      opinions: opinions.toSorted((a, b) => (b.seq === this.reply.seq) - (a.seq === this.reply.seq)),
      rules: rules.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b))),
    };
  }

  get #lead() { return leadOf(this.context.me); }

  get #mine() { return this.conflict.opinions.filter((one) => one.own); }

  get #others() { return this.conflict.opinions.filter((one) => !one.own); }

  /** The line above: what was said, and that it settles nothing yet. */
  ledger() {
    const second = this.reply.second_opinion || this.#others.length > 0;
    return setBeside(this.context.onto, this.said, { second, tail: this.conflict.blamed ? "Your answer is stored and weighed with the others." : "Your answer is stored, but settles nothing yet." });
  }

  view() {
    const { conflict } = this;
    this.opened = performance.now();
    const lines = conflict.opinions.length + conflict.rules.length;
    return h("article", { class: "sheet clash" },
      h("h1", { class: "question", tabindex: "-1" }, sign("clash"), "These can’t all be true"),
      h("div", { class: "columns" },
        h("section", { "aria-labelledby": "clash-lines" },
          h("h2", { id: "clash-lines" }, `The clash, in ${LINES[lines] ?? lines} lines`),
          h("ol", { class: "lines" }, this.#lines()),
          h("p", { class: "note" }, `All ${LINES[lines] ?? lines} lines are needed: without any one of them, the others can be true.`),
          blame(conflict)),
        h("section", { "aria-labelledby": "clash-ways" },
          h("h2", { id: "clash-ways" }, "Which one is wrong?"),
          h("div", { class: "ways" }, this.ways.map((way) => this.#button(way))))));
  }

  #lines() {
    const { onto } = this.context;
    const name = nameOf(this.said.item);
    const about = this.conflict.opinions.map((one) => one.label);
    const between = this.#between();
    const opinions = this.conflict.opinions.map((one) =>
      line(opinionWords(onto, this.said.item, one), one.decided ? "decision" : "answer", `${one.own ? "you" : one.who}, ${when(one.at)}`));
    const rules = this.conflict.rules.map((rule) => line(onto.sentence(rule, [...about, ...between]), "rule", `ontology version ${onto.version}`));
    return [...opinions, ...rules, h("li", { class: "bottom" }, sign("clash", { named: "contradiction:" }), h("span", { class: "fact" }, this.#bottom(name)))];
  }

  /** Labels that lead from the answers to the clash: those above them by the rules at hand. */
  #between() {
    const small = new Ontology({ labels: this.context.onto.labels.map((label) => ({ label, parents: [], children: [] })), rules: this.conflict.rules });
    const found = new Set(this.conflict.opinions.filter((one) => one.value).map((one) => one.label));
    let size;
    do {
      size = found.size;
      for (const rule of small.rules) if (rule.kind === "above" && rule.children.some((child) => found.has(child))) found.add(rule.parent);
    } while (found.size > size);
    this.small = small;
    return [...found];
  }

  /** "“robin” would be a Fish and not a Fish". */
  #bottom(name) {
    const { grammar } = this.context.onto;
    const yes = this.#between();
    const denied = new Set(this.conflict.opinions.filter((one) => !one.value).map((one) => one.label));
    const said = new Set(this.conflict.opinions.map((one) => one.label));
    const found = yes.find((label) => denied.has(label))
      ?? yes.filter((label) => !said.has(label)).find((label) => yes.some((other) => this.small.excludes(label, other)))
      ?? yes.find((label) => yes.some((other) => this.small.excludes(label, other)));
    if (found === undefined) return `${name} can’t be all of this at once`;
    return `${name} would be ${grammar.bare(found)} and not ${grammar.bare(found)}`;
  }

  /** The ways out, each with its key. */
  #ways() {
    const { onto } = this.context;
    const { conflict, said } = this;
    const name = nameOf(said.item);
    const held = conflict.blamed ? "Until then, both count by their probability." : `${name} waits until ${this.#lead} decides.`;
    const stays = this.#others[0] ?? this.#mine.find((one) => one.seq !== this.reply.seq);
    const rest = stays ? ` ${name} stays ${onto.grammar.is(stays.label, stays.value).slice(3)}.` : "";
    const ways = [{ title: "My answer", text: `Takes it back.${rest}`, act: () => this.#undo(this.reply.seq) }];
    const earlier = this.#mine.find((one) => one.seq !== this.reply.seq && !one.decided);
    if (earlier) {
      ways.push({ title: "My earlier answer", text: `Changes it: ${name} ${onto.grammar.is(earlier.label, !earlier.value)}. Labels that followed from it open again.`, act: () => this.#change(earlier) });
    }
    const people = [...new Set(this.#others.map((one) => one.who))];
    if (people.length) {
      const whose = people.length === 1 ? (people[0] === "import" ? "The imported label" : `${capital(people[0])}’s answer`) : "The other answers";
      ways.push({ title: whose, text: `Keeps both and sends them to ${this.#lead}. ${held}`, act: () => this.#doubt([]) });
    }
    if (conflict.rules.length) {
      const first = conflict.opinions.length + 1;
      const numbers = list(conflict.rules.map((_, n) => String(first + n)), { last: "or" });
      ways.push({ title: "A rule", text: `Keeps ${conflict.opinions.length > 1 ? "both answers" : "your answer"} and asks ${this.#lead} to look at line ${numbers}. You choose which and can add a note.`, opens: true });
    }
    ways.forEach((way, n) => { way.key = String(n + 1); });
    return [...ways, { key: "Space", title: "I’m not sure", text: `Takes your answer back and sends the clash to ${this.#lead}.`, act: () => this.#unsure() }];
  }

  #button(way) {
    const key = way.key === "Space" ? keysOf("cant_tell")[0] ?? "" : way.key;
    const button = h("button", { class: "way", type: "button", onclick: () => this.#take(way, true), "aria-keyshortcuts": key, "aria-expanded": way.opens ? "false" : null },
      h("span", { class: "title" }, way.title), h("span", { class: "text" }, way.text), h("span", { class: "keys", "aria-hidden": "true" }, cap(key)));
    if (!way.opens) return button;
    way.button = button;
    way.form = this.#ruleForm();
    return [button, way.form];
  }

  #ruleForm() {
    const { onto } = this.context;
    const note = h("textarea", { id: "rule-note", rows: "2", maxlength: "10000" });
    const form = h("form", { class: "rule-form", hidden: true, onsubmit: (event) => {
      event.preventDefault();
      this.#doubt([...form.querySelectorAll("input:checked")].map((one) => one.value), note.value.trim());
    } },
    h("fieldset", {}, h("legend", {}, "Which rule?"), this.conflict.rules.map((rule, n) =>
      h("label", { class: "choice" }, h("input", { type: "checkbox", name: "rule", value: rule.text, checked: n === 0 }), onto.sentence(rule, this.#between())))),
    h("div", { class: "field" }, h("label", { for: "rule-note" }, `Note for ${this.#lead}, if you like`), note),
    h("button", { class: "button main", type: "submit" }, "Send and go on"));
    return form;
  }

  #take(way, clicked = false) {
    if (!clicked && performance.now() - this.opened < GUARD_MS) return;
    if (way.opens) {
      way.form.hidden = !way.form.hidden;
      way.button.setAttribute("aria-expanded", String(!way.form.hidden));
      if (!way.form.hidden) way.form.querySelector("input").focus();
      return;
    }
    way.act();
  }

  #add(path, body, seq) {
    this.context.outbox.add({ path, body, seq, about: nameOf(this.said.item) });
  }

  #undo(seq) {
    this.#add("undo", {}, seq);
    this.context.past.forget({ seq });
    this.close(afterUndo(this.context.onto, this.said, null));
  }

  #doubt(rules, note = "") {
    this.#add("doubts", { rules, note }, this.reply.seq);
    this.close({ mark: "clash", text: [`All answers are kept. ${capital(this.#lead)} decides about ${nameOf(this.said.item)}.`] });
  }

  #unsure() {
    this.#add("doubts", { rules: [], note: "" }, this.reply.seq);
    this.#undo(this.reply.seq);
  }

  #change({ label, value }) {
    const { item } = this.said;
    this.#add("answers", { item: item.id, label, value: !value, seconds: null, lease: null });
    const { onto } = this.context;
    this.close({ mark: value ? "no" : "yes", text: ["Changed: ", ...statement(onto, { item, label, value: !value, kind: "answer" }), "."] });
  }
}

function line(text, kind, note) {
  return h("li", {}, h("span", { class: "fact" }, text), h("span", { class: "from" }, h("span", { class: "tag" }, kind), h("span", { class: "note" }, note)));
}
