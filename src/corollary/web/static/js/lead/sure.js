// Sure predictions: their number, an audit, and accepting or taking back all of them at once.
import { get, post } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import * as keys from "../shared/keys.js";
import { loadOntology } from "../shared/ontology.js";
import { count, labelsOfItems, number, when } from "../shared/words.js";
import { AuditView } from "./audit.js";
import { inBatches } from "./batches.js";
import { key, page, section, share, statusLine } from "./sheet.js";

const WHY_NOT = { open: "The audit is not finished.", failed: "The audit failed.", outdated: "The audit is of an earlier model or ontology." };

/** The view. */
export async function show(main, context) {
  const onto = context.onto.labels.length ? context.onto : await loadOntology();
  const view = new Sure(main, onto);
  await view.read();
  return keys.layer({ ...view.audit.keys, close: () => context.go("progress") });
}

class Sure {
  constructor(main, onto) {
    this.main = main;
    this.status = statusLine();
    this.least = numberField("sure-least", "0.99");
    this.wrong = numberField("sure-wrong", "", "1 minus that probability");
    this.n = numberField("sure-n", "");
    this.result = h("div", { role: "status" });
    this.looks = 0;
    this.draw = h("button", { class: "button" }, "Draw an audit");
    this.drawForm = h("form", { class: "filters", "aria-label": "Draw an audit", hidden: true, onsubmit: (event) => this.#submit(event, () => this.#drawAudit()) }, field("Questions to draw", this.n), this.draw);
    this.audit = new AuditView(onto, { changed: (audit, underWay) => this.#audited(audit, underWay), failed: (error) => this.status.fail(error) });
    this.accept = h("button", { class: "button main", type: "button", "aria-describedby": "accept-why", onclick: () => this.#try(() => this.#accept()) }, "Accept all");
    this.why = h("p", { class: "note", id: "accept-why" });
    this.last = h("p", { class: "row" });
    this.far = h("p", { class: "row far", role: "status" });
    page(main, "Sure predictions", { wide: false, beside: "accept them all at once, after an audit", buttons: [h("a", { class: "button small", href: "#/progress" }, "Back to progress", keys.caps("close", { most: 1 }))] },
      this.status.line,
      section("how-much", "How much", { note: "predictions with at least this probability" },
        h("form", { class: "filters", "aria-label": "Threshold", onsubmit: (event) => this.#submit(event, () => this.#look()) }, field("Least probability", this.least), field("Share that may be wrong, such as 1 %", this.wrong), h("button", { class: "button" }, "Look")),
        this.result, this.drawForm),
      this.audit.element,
      section("accept", "Accept", { note: "one group, taken back in one step; exports mark it as accepted" }, h("p", { class: "row" }, this.accept, this.why), this.far, this.last));
  }

  async read() {
    await Promise.all([this.#look().catch((error) => put(this.result, h("p", { class: "quiet" }, `${error.message} ${error.hint ?? ""}`))), this.audit.read(), this.#readLast()]);
  }

  #wanted() {
    return { at_least: probability(this.least), ...(this.wrong.value.trim() ? { most_wrong: probability(this.wrong) } : {}) };
  }

  /** Look for sure predictions, which can take a while; only the last request is shown. */
  async #look() {
    const turn = ++this.looks, isLast = () => turn === this.looks;
    const slow = setTimeout(() => isLast() && put(this.result, h("p", { class: "quiet" }, "Computing.")), 400);
    try {
      const found = await get(`sure?${new URLSearchParams(this.#wanted())}`);
      if (!isLast()) return;
      put(this.result,
        found.unit === "items" ? h("p", {}, h("b", {}, count(found.items, "item")), ` ${found.items === 1 ? "is" : "are"} predicted with at least ${found.at_least}: all labels of an item together.`)
          : h("p", {}, h("b", {}, count(found.cells, "open cell")), ` of ${count(found.items, "item")} ${found.cells === 1 ? "is" : "are"} predicted with at least ${found.at_least}. A cell is one label of one item.`, found.left_out ? ` ${count(found.left_out, "item")} left out, because a label that is not sure would follow.` : ""),
        h("p", {}, `An audit needs ${count(found.needed, "right answer")} to show that at most ${share(found.most_wrong, 2)} of the ${found.unit} are wrong.`));
      this.n.value = String(found.needed);
      this.drawForm.hidden = found.cells === 0;
    } catch (error) {
      if (isLast()) throw error;
    } finally {
      clearTimeout(slow);
    }
  }

  async #drawAudit() {
    await post("sure/audits", { key: key(), ...this.#wanted(), n: wholeNumber(this.n) });
    this.audit.skipped = 0;
    this.status.say();
    await this.audit.read({ focus: true });
  }

  #audited(audit, underWay) {
    const passed = audit?.state === "passed";
    this.underWay = underWay;
    this.accept.setAttribute("aria-disabled", String(!passed));
    put(this.accept, underWay ? "Go on accepting" : "Accept all");
    put(this.why, underWay ? `Not finished: ${number(underWay.done)} of ${number(underWay.done + underWay.left)} items are accepted.` : passed ? `All that audit ${number(audit.seq)} confirmed and is still open.` : audit ? `${WHY_NOT[audit.state]} Nothing is accepted.` : "Nothing is accepted without an audit.");
  }

  async #accept() {
    const done = await this.#work("Accepting", "sure/accept", { key: this.underWay?.group ?? key() });
    this.status.say(`${count(done.done, "item")} accepted. ${labelsOfItems(done.settled)} settled. `,
      done.conflicts.length ? h("a", { href: "#/conflicts" }, `${count(done.conflicts.length, "item")} in conflict now. `) : "");
    this.last.querySelector("button")?.focus();
  }

  /** The last acceptance, and the button to take it back. */
  async #readLast() {
    const { events: [last] } = await get("log?kind=accept&limit=1");
    const back = last?.stands && last.detail?.group && h("button", { class: "button", type: "button", onclick: () => this.#try(() => this.#takeBack(last.detail.group)) }, "Take all back");
    put(this.last, back ? [h("span", {}, `Accepted last: ${when(last.at)}, by ${last.who}.`), back, h("a", { class: "link", href: "#/answers" }, "See earlier ones under Answers")] : null);
  }

  async #takeBack(group) {
    const reply = await this.#work("Taking back", "group-undo", { key: key(), group });
    this.status.say(`Taken back: accepted labels of ${count(reply.done, "item")}. ${labelsOfItems(reply.opened)} open again.`);
    this.main.querySelector("h1").focus();
  }

  /** Show its progress; afterwards, or after an interruption, the state of everything. */
  async #work(doing, path, body) {
    if (this.working) throw new Error("Wait until the running step is done.");
    this.working = true;
    try {
      this.status.say();
      return await inBatches(path, body, (done, total) => put(this.far, h("progress", { "aria-label": doing, max: total, value: done }), h("span", {}, `${doing}: ${number(done)} of ${count(total, "item")}`)));
    } finally {
      this.working = false;
      put(this.far);
      await this.read().catch((error) => this.status.fail(error));
    }
  }

  #submit(event, act) {
    event.preventDefault();
    return this.#try(act);
  }

  async #try(act) {
    try {
      await act();
    } catch (error) {
      this.status.fail(error);
    }
  }
}

const numberField = (id, value, placeholder = null) => h("input", { type: "text", id, value, placeholder, inputmode: "decimal", autocomplete: "off" });
const field = (words, control) => h("div", { class: "field" }, h("label", { for: control.id }, words), control);

/** A probability as people write it: 0.99, 99 %. */
function probability(input) {
  const written = input.value.trim().replace(",", ".");
  const value = written.endsWith("%") ? Number(written.slice(0, -1)) / 100 : Number(written);
  return accepted(input, value, value > 0 && value < 1, "a number between 0 and 1, or a percentage");
}

const wholeNumber = (input) => accepted(input, Number(input.value.trim()), /^\d+$/.test(input.value.trim()), "a whole number");

function accepted(input, value, fine, what) {
  input.setAttribute("aria-invalid", String(!fine));
  if (fine) return value;
  input.focus();
  throw new Error(`“${input.labels[0].textContent}” is ${what}, not “${input.value.trim()}”.`);
}
