// The bar: the campaign, its progress, whether all is stored.
import { h, put, s } from "./dom.js";
import { caps, shortcuts } from "./keys.js";
import { sign } from "./signs.js";
import { count, number, percent, shownName } from "./words.js";

const VIEWS = [["progress", "Progress"], ["items", "Items"], ["conflicts", "Conflicts"], ["doubtful", "Probably wrong"], ["answers", "Answers"], ["ontology", "Ontology"], ["people", "People"], ["settings", "Settings"], ["export", "Export"]];
const UNDER = { sure: "progress" }; // views that are reached from another
export const LEADS_VIEWS = [...VIEWS.map(([name]) => name), ...Object.keys(UNDER)];
/** The meaning of "questions saved"; if each item has one label, people would be asked one pick for each. */
export const SAVED = "Labels of items settled by answers without asking. Imported labels and their consequences do not count. Each question asked is subtracted, also second opinions and can’t tell.";
const READERS = ["progress", "export"];

/** The bar on top of the page. */
export class Bar {
  constructor(element, me, outbox) {
    Object.assign(this, { element, me, outbox });
    this.counts = me.counts;
    this.since = 0; // answers given here since the page was loaded
    this.waiting = { conflicts: 0, doubtful: 0 }; // what waits for the lead, by view
    this.campaign = h("p", { class: "campaign" });
    this.saved = h("p", { class: "saved", title: SAVED });
    this.stored = h("p", { class: "stored", role: "status" });
    this.progress = s("svg", { class: "progress", role: "img", preserveAspectRatio: "none" });
    outbox.addEventListener("change", () => this.#drawStored());
    outbox.addEventListener("stored", ({ detail }) => {
      if (detail.act.path === "answers") this.since += 1;
      if (detail.act.path === "undo") this.since -= 1;
    });
  }

  /** Show it for a view. */
  show(route) {
    this.route = route;
    const isLead = LEADS_VIEWS.includes(route);
    this.element.className = isLead ? "bar lead" : "bar";
    put(this.element, h("div", { class: "bar-row" },
      h("a", { class: "home", href: "#/", "aria-label": "Corollary: label" }, sign("logic"), h("b", {}, "Corollary")),
      this.campaign, isLead ? this.#views(route) : null, h("span", { class: "space" }),
      isLead ? null : this.saved, isLead ? null : this.stored, this.#pages(route, isLead)), this.progress);
    this.#drawCounts();
    this.#drawStored();
  }

  #views(route) {
    const mine = VIEWS.filter(([name]) => this.me.role === "lead" || READERS.includes(name));
    return h("nav", { class: "views", "aria-label": "Views of the lead" }, mine.map(([name, words]) =>
      h("a", { href: `#/${name}`, "aria-current": name === route ? "page" : name === UNDER[route] ? "true" : null }, words,
        this.waiting[name] ? h("span", { class: "count", "aria-label": `${this.waiting[name]} to settle` }, number(this.waiting[name])) : null)));
  }

  #pages(route, isLead) {
    const at = (name) => (name === route ? "page" : null);
    const answers = this.me.role !== "reader";
    return h("nav", { "aria-label": "Pages" },
      isLead
        ? answers && h("a", { href: "#/" }, "Label")
        : [this.me.role !== "annotator" && h("a", { class: "wide", href: "#/progress" }, "Progress"),
          answers && h("a", { class: "wide", href: "#/history", "aria-current": at("history") }, "History"),
          this.me.guidelines && h("a", { href: "#/guidelines", "aria-current": at("guidelines"), "aria-keyshortcuts": shortcuts("guidelines") }, "Guidelines", caps("guidelines", { most: 1 })),
          h("a", { class: "wide", href: "#/keys", "aria-current": at("keys") }, "Keys", caps("keys", { most: 1 }))],
      h("a", { href: "#/you", "aria-current": at("you") }, shownName(this.me)));
  }

  /** Take over new figures. */
  count(counts) {
    this.counts = counts;
    this.#drawCounts();
  }

  /** How much waits for the lead. */
  setWaiting({ conflicts, marked, improbable }) {
    const now = { conflicts: conflicts + marked, doubtful: improbable };
    if (JSON.stringify(now) === JSON.stringify(this.waiting)) return;
    this.waiting = now;
    this.element.querySelector("nav.views")?.replaceWith(this.#views(this.route));
  }

  savedWords() {
    if (this.me.one) return "";
    const { saved, saved_today: today } = this.counts;
    if (today !== undefined && today > 0) return `${count(today, "question")} saved today.`;
    return saved > 0 ? `${count(saved, "question")} saved.` : "";
  }

  #drawCounts() {
    const { settled, cells, implied, saved, saved_today: today, done, items } = this.counts;
    const { one } = this.me; // then an item is one question, and what counts is items
    const share = percent(settled, cells);
    put(this.campaign, h("b", {}, this.me.campaign), h("span", {}, one ? ` · ${number(done)} of ${count(items, "item")} labelled` : ` · ${share} settled`));
    const n = one ? 0 : today ?? saved;
    put(this.saved, ...(n > 0 ? [h("b", {}, number(n)), ` ${n === 1 ? "question" : "questions"} saved${today === undefined ? "" : " today"}`] : []));
    const answered = one ? (items ? (100 * done) / items : 0) : cells ? (100 * (settled - implied)) / cells : 0;
    const followed = cells && !one ? (100 * implied) / cells : 0;
    this.progress.setAttribute("aria-label", one ? `${number(done)} of ${count(items, "item")} labelled` : `${share} of the labels of items are settled: ${number(settled - implied)} answered, ${number(implied)} implied, ${number(cells - settled)} open`);
    const gap = answered > 0 && followed > 0 ? 0.2 : 0;
    put(this.progress, s("rect", { class: "answered", width: `${answered}%`, height: "3" }), s("rect", { class: "implied", x: `${answered + gap}%`, width: `${Math.max(followed - gap, 0)}%`, height: "3" }));
  }

  #drawStored() {
    const { waiting, slow, offline, error } = this.outbox;
    const calm = !waiting || (!slow && !error);
    const words = calm ? "All stored" : offline || error || waiting > 1 ? `${number(waiting)} waiting` : "Storing";
    if (this.stored.textContent === words) return;
    put(this.stored, sign(calm ? "stored" : "storing"), h("span", { class: "word" }, words));
  }
}
