// Strips under the bar: offline, not stored, refused. They tell and never cover anything.
import { h, put } from "./dom.js";
import { sign } from "./signs.js";
import { count, number } from "./words.js";

/** The place for notices. */
export class Notices {
  #timer = null;
  #once = null;
  #shown = "";

  constructor(element, outbox, supply) {
    Object.assign(this, { element, outbox, supply });
    this.countdown = h("span", { "aria-hidden": "true" }); // seconds are for the eye: nobody wants to hear them
    outbox.addEventListener("change", () => this.draw());
    supply.addEventListener("change", () => this.draw());
  }

  /** Say once that something failed. */
  failed(text) {
    this.#once = text;
    this.draw();
  }

  /** Show what there is to say; a strip that says the same as before is left alone. */
  draw() {
    clearTimeout(this.#timer);
    const strips = [this.#once && { text: this.#once, act: () => this.failed(null), words: "Close" }, this.#aboutOutbox()].filter(Boolean);
    const what = JSON.stringify(strips.map(({ text }) => text));
    if (what !== this.#shown) put(this.element, ...strips.map((one) => strip(one)));
    this.#shown = what;
    if (this.outbox.retryAt && strips.length) this.#count();
  }

  #count() {
    const seconds = Math.max(1, Math.round((this.outbox.retryAt - Date.now()) / 1000));
    put(this.countdown, `Trying again in ${number(seconds)} s. `);
    this.#timer = setTimeout(() => this.draw(), 1000);
  }

  #aboutOutbox() {
    const { waiting: n, offline, error, failing } = this.outbox;
    const { questions } = this.supply;
    if (!n || !error || error.status === 401) return null;
    if (offline) {
      const ready = Math.max(questions.length - 1, 0);
      const more = ready ? ` ${count(ready, "more question")} ${ready === 1 ? "is" : "are"} ready.` : "";
      const itself = n === 1 ? "waits on this device and goes out by itself" : "wait on this device and go out by themselves";
      return questions.length ? { calm: true, text: `You are offline. ${count(n, "answer")} ${itself}.${more}` } : null;
    }
    const what = error.status === 503 || error.status === 429 ? error.message : `The server had an error (${error.status}).`;
    return { text: `Your answer about ${failing.about} was not stored. ${what} You can go on. Nothing is lost. `, tail: this.countdown, act: () => this.outbox.send(), words: "Try now" };
  }
}

function strip({ text, tail = null, calm = false, act = null, words = "" }) {
  return h("div", { class: calm ? "notice" : "notice failed", role: calm ? "status" : "alert" }, h("div", { class: "sheet" },
    calm ? sign("storing") : h("span", { class: "mark", "aria-hidden": "true" }, "!"), h("p", {}, text, tail),
    act && h("button", { class: "button small", type: "button", onclick: act }, words)));
}
