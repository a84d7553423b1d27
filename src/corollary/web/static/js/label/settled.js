// The ledger: what the last answer settled, quietly, and why on request.
import { h, put } from "../shared/dom.js";
import { keysOf, shortcuts } from "../shared/keys.js";
import { lineWords, whence } from "../shared/sentences.js";
import { sign } from "../shared/signs.js";

/** The line above the question. */
export class Ledger {
  constructor() {
    this.status = h("div", { class: "said", role: "status" });
    this.button = h("button", { class: "link why", type: "button", "aria-expanded": "false", "aria-controls": "why", onclick: () => this.toggle() });
    this.why = h("ol", { id: "why", class: "chain", hidden: true });
    this.element = h("section", { class: "ledger", "aria-label": "What the last answer settled" },
      h("div", { class: "ledger-row" }, this.status, this.button), this.why);
    this.open = false;
    this.tell(null);
  }

  /** Say something: {mark, text, short, done, lines}, about an item under an ontology. */
  tell(said, onto = null, item = null, saved = null) {
    const text = said === null ? [] : [
      sign(said.mark ?? "open"),
      h("p", {},
        h("span", { class: said.short ? "long" : null }, said.text),
        said.short && h("span", { class: "short" }, said.short),
        saved && h("span", { class: "saved" }, ` ${saved}`),
        said.done && sign("done")),
    ];
    if (this.status.textContent !== h("div", {}, text).textContent || !text.length) put(this.status, ...text);
    this.lines = said?.lines ?? null;
    this.open = false;
    put(this.why, ...(this.lines ?? []).map((line, n) =>
      h("li", {}, h("span", { class: "n" }, n + 1), h("span", { class: "fact" }, lineWords(onto, line, item)),
        h("span", { class: "whence" }, whence(onto, line, this.lines)))));
    this.#draw();
  }

  get isEmpty() { return !this.status.hasChildNodes(); }

  /** Show the reasons, or hide them. */
  toggle() {
    if (!this.lines) return;
    this.open = !this.open;
    this.#draw();
  }

  #draw() {
    this.button.hidden = !this.lines;
    this.why.hidden = !this.open;
    this.button.setAttribute("aria-expanded", String(this.open));
    const keys = shortcuts("why");
    if (keys) this.button.setAttribute("aria-keyshortcuts", keysOf("why").join(" "));
    put(this.button, "Why", sign(this.open ? "up" : "down"));
  }
}
