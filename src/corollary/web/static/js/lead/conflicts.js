// Conflicts to settle: disagreements, clashes, flags and doubts, with opinions and ways out.
import { get, post } from "../shared/api.js";
import { blame } from "../shared/blame.js";
import { h, put } from "../shared/dom.js";
import { loadOntology } from "../shared/ontology.js";
import { opinionWords } from "../shared/sentences.js";
import { sign } from "../shared/signs.js";
import { count, isNamed, labelsOfItems, nameOf, number, when } from "../shared/words.js";
import { watch } from "./live.js";
import { eventSign, eventWords, flagLine, titleOf, whatIsSaid, withdraw } from "./said.js";
import { key, page, scroller, seconds, section, statusLine } from "./sheet.js";

const SHOWN = 20;

/** The view; the address may name an item to begin with. */
export async function show(main, context, route) {
  const onto = context.onto.labels.length ? context.onto : await loadOntology();
  const view = new Conflicts(main, context, onto, decodeURIComponent(route.split("/").slice(1).join("/")));
  await view.read();
  return watch({ counts: (progress) => view.counts(progress) });
}

class Conflicts {
  constructor(main, context, onto, first) {
    Object.assign(this, { context, onto, first, shown: SHOWN });
    this.status = statusLine();
    this.cases = h("div", {});
    this.flags = h("div", {});
    this.page = page(main, "Conflicts", { wide: false, beside: "", buttons: [h("a", { class: "button small", href: "#/answers" }, "History")] }, this.status.line, this.cases, this.flags);
    this.seen = null;
  }

  counts(progress) {
    const now = `${progress.conflicts} ${progress.marked}`;
    this.context.bar.setWaiting(progress);
    if (this.seen !== null && now !== this.seen && !this.cases.contains(document.activeElement)) this.read();
    this.seen = now;
  }

  async read() {
    const [conflicts, flags] = await Promise.all([get("conflicts"), get("flags")]);
    const waiting = conflicts.reduce((sum, one) => sum + one.waiting, 0);
    const held = waiting ? `, holding back ${labelsOfItems(waiting)}` : conflicts.some((one) => one.conflict.blamed) ? ", with answers weighed until then" : "";
    put(this.page.beside, conflicts.length ? `${number(conflicts.length)} to settle${held}` : "");
    if (this.first) conflicts.sort((a, b) => (b.item.id === this.first) - (a.item.id === this.first));
    const rest = conflicts.length - this.shown;
    put(this.cases, conflicts.slice(0, this.shown).map((one, n) => this.#case(one, n)),
      rest > 0 && h("p", { class: "row" }, h("button", { class: "button", type: "button", onclick: () => { this.shown += SHOWN; this.read(); } }, `Show ${number(Math.min(rest, SHOWN))} of ${number(rest)} more`)),
      !conflicts.length && h("p", { class: "intro" }, "There are no conflicts. All answers can be true together."));
    const alone = flags.filter((flag) => !conflicts.some((one) => one.item.id === flag.item && flag.kind === "doubt"));
    put(this.flags, alone.length ? section("flags", "Flags and doubts", { note: "from annotators, for you" }, h("ul", { class: "to-settle" }, alone.map((one) => this.#flag(one)))) : null);
  }

  #case(one, n) {
    const { item, conflict } = one;
    const id = `case-${n}`;
    return h("article", { class: "case", "aria-labelledby": id }, h("h2", { id, tabindex: "-1" }, sign("clash"), titleOf(this.onto, one)),
      h("p", { class: "note" }, whatIsSaid(this.onto, one)), itemText(item),
      h("div", { class: "case-columns" },
        h("div", {}, h("h3", {}, conflict.kind === "clash" ? "These can’t all be true" : "Who said what"),
          h("ol", { class: "case-lines" }, conflict.opinions.map((opinion, at) => this.#opinion(one, opinion, at)), conflict.rules.map((rule, at) => this.#rule(one, rule, at))),
          blame(conflict),
          one.doubts.length ? h("ul", { class: "to-settle" }, one.doubts.map((doubt) => this.#flag(doubt))) : null),
        h("div", {}, h("h3", {}, "Which is true?"), this.#decide(one, n))),
      this.#history(item), h("p", { class: "row" }, this.#withdraw(item.id)));
  }

  #opinion(one, opinion, n) {
    const said = opinionWords(this.onto, one.item, opinion);
    return h("li", {}, h("span", { class: "n" }, n + 1), h("span", { class: "fact" }, said),
      h("button", { class: "button small", type: "button", "aria-label": `Reject ${opinion.who}’s answer: ${said}`, onclick: () => this.#reject(opinion, said) }, "Reject"),
      h("span", { class: "whence" }, h("span", { class: "tag" }, opinion.decided ? "decision" : opinion.who === "import" ? "import" : "answer"), `${opinion.own ? "you" : opinion.who}, ${when(opinion.at)}`));
  }

  #rule(one, rule, n) {
    const about = one.conflict.opinions.map((opinion) => opinion.label);
    return h("li", {}, h("span", { class: "n" }, one.conflict.opinions.length + n + 1), h("span", { class: "fact" }, this.onto.sentence(rule, about)),
      h("a", { class: "button small", href: "#/ontology", "aria-label": `Change the rule: ${rule.text}` }, "Change"),
      h("span", { class: "whence" }, h("span", { class: "tag" }, "rule"), `ontology version ${this.onto.version}`));
  }

  /** For each label in question yes or no; a note, if one likes. */
  #decide(one, n) {
    const note = h("input", { type: "text", id: `note-${n}`, maxlength: "10000", autocomplete: "off" });
    const labels = [...new Set(one.conflict.opinions.map((opinion) => opinion.label))];
    const button = (label, value) => h("button", { class: "button", type: "button", "aria-label": `Decide: ${nameOf(one.item)} ${this.onto.grammar.is(label, value)}`, onclick: () => this.#settle(one, label, value, note.value.trim()) }, sign(value ? "yes" : "no"), value ? "Yes" : "No");
    return h("div", { class: "verdicts" }, labels.map((label) => h("div", { class: "verdict" }, h("span", {}, this.onto.grammar.question(one.item, label)), button(label, true), button(label, false))),
      h("div", { class: "field" }, h("label", { for: note.id }, "Note, if you like"), note),
      h("p", { class: "note" }, "Your decision overrules all answers about this label. Answers that contradict it no longer count."));
  }

  #history(item) {
    const place = h("div", {});
    const fold = h("details", {}, h("summary", {}, `All answers about ${nameOf(item)}`), place);
    fold.addEventListener("toggle", async () => {
      if (!fold.open || place.childElementCount) return;
      try {
        const { events } = await get(`items/${encodeURIComponent(item.id)}?values=0`);
        put(place, scroller(`History of ${item.id}`, h("table", {},
          h("thead", {}, h("tr", {}, ["When", "Who", "What"].map((one) => h("th", { scope: "col", class: "start" }, one)), h("th", { scope: "col" }, "Took"))),
          h("tbody", {}, events.map((event) => h("tr", {}, h("td", { class: "start" }, when(event.at)), h("td", { class: "start" }, event.who),
            h("td", { class: "start" }, h("span", { class: "words-said" }, eventSign(event), eventWords(this.onto, event))), h("td", {}, event.seconds === null ? "" : seconds(event.seconds))))))));
      } catch (error) {
        this.status.fail(error);
      }
    });
    return fold;
  }

  #flag(event) {
    return flagLine(this.onto, event, { end: h("div", { class: "row" }, h("button", { class: "button small", type: "button", "aria-label": `Done with: ${eventWords(this.onto, event)}`, onclick: () => this.#done(event) }, "Done"), event.kind === "flag" && this.#withdraw(event.item)) });
  }

  #withdraw(item) {
    return h("button", { class: "button small", type: "button", "aria-label": `Withdraw this item: ${item}`, onclick: () => this.#act(() => withdraw(item)) }, "Withdraw this item");
  }

  #settle(one, label, value, note) {
    return this.#act(async () => {
      const reply = await post("decisions", { key: key(), item: one.item.id, label, value, note });
      const also = reply.settled.length ? ` That settled ${count(reply.settled.length, "label")}.` : "";
      return `Decided: ${nameOf(one.item)} ${this.onto.grammar.is(label, value)}.${also}${reply.conflict ? " Other answers about it conflict." : ""}`;
    });
  }

  #reject(opinion, said) {
    return this.#act(async () => {
      const reply = await post("undo", { key: key(), seq: opinion.seq });
      return `No longer counts: ${said}. ${reply.settled.length ? `That settled ${count(reply.settled.length, "label")}.` : ""}`;
    });
  }

  #done(event) {
    return this.#act(async () => {
      await post(`flags/${event.seq}/settle`, { key: key() });
      return "Done.";
    });
  }

  async #act(act) {
    try {
      const words = await act();
      this.first = null;
      await this.read();
      this.status.say(words);
      (this.cases.querySelector("h2") ?? this.page.place.querySelector("h1")).focus();
    } catch (error) {
      this.status.fail(error);
    }
  }
}

function itemText(item) {
  const fields = Object.entries(item.fields ?? {}).map(([name, value]) => `${name}: ${value}`);
  const text = isNamed(item) ? fields.join(" · ") : item.text ?? "";
  return [item.image && h("img", { src: item.image, alt: `The picture of ${item.id}`, class: "case-image" }), text && h("p", { class: "item-text" }, text)];
}
