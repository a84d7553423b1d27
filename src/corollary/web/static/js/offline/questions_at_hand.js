// Questions at hand: a few are held ready, so that the next one is on the screen at once.
import { ApiError, call, post } from "../shared/api.js";
import { SENT } from "../shared/pick_options.js";
import { local, scoped } from "./browser_storage.js";

const READY = 4; // the one on the screen, and three more
const MOST = 20;
const WAITING_MS = 4000;

export const cellOf = (question) => JSON.stringify([question.item.id, question.label]);

/** The questions that this person holds. Event: "change". */
export class Supply extends EventTarget {
  #outbox;
  #tab;
  #asked = new Map(); // cells answered here: the number of the request that can first know of it, or null
  #requests = 0;
  #busy = null;
  #skipped;
  #slot;

  constructor(outbox, who, tab) {
    super();
    this.#outbox = outbox;
    this.#tab = tab;
    this.#slot = scoped("skipped", who);
    this.#skipped = new Set(local.get(this.#slot, []));
    this.questions = [];
    this.state = null; // not known yet
    this.waiting = null;
    this.error = null;
    this.left = false; // what was skipped is left to others
    for (const act of outbox.acts) if (act.cell) this.#asked.set(act.cell, null);
    outbox.addEventListener("stored", ({ detail }) => this.#stored(detail.act));
    outbox.addEventListener("refused", ({ detail }) => this.#stored(detail.act));
    tab.addEventListener("taken", () => this.#begin());
    tab.addEventListener("lost", () => this.#leave());
  }

  get current() { return this.questions[0] ?? null; }

  /** Whether the question on the screen is one that was skipped, with nothing else left. */
  get returned() { return this.current !== null && !this.current.back && this.#skipped.has(cellOf(this.current)); }

  get skips() { return this.waiting?.skipped ?? 0; }

  /** The question was dealt with. */
  take(question, { skipped = false } = {}) {
    const cell = cellOf(question);
    this.#asked.set(cell, null);
    this.#remember(cell, skipped);
    this.questions = this.questions.filter((one) => one !== question);
  }

  /** The person takes up what was skipped. */
  goOn() {
    this.#skipped.clear();
    local.remove(this.#slot);
  }

  /** Ask a question again that was answered before; the others wait behind it. */
  putBack(question) {
    const cell = cellOf(question);
    this.#asked.delete(cell);
    this.#remember(cell, false);
    this.questions = [{ ...question, back: true }, ...this.questions.filter((one) => cellOf(one) !== cell)];
  }

  /** Nothing more can be asked for now. */
  refused(error) {
    this.error = error;
    this.dispatchEvent(new Event("change"));
  }

  /** Ask from the start: another tab may have answered meanwhile. */
  #begin() {
    this.#asked = new Map(this.#outbox.acts.filter((act) => act.cell).map((act) => [act.cell, null]));
    this.#skipped = new Set(local.get(this.#slot, []));
    this.questions = [];
    this.state = null;
    this.refill();
  }

  /** Another tab holds the questions from now on: they are not given back. */
  #leave() {
    this.questions = [];
    this.error = null;
    this.dispatchEvent(new Event("change"));
  }

  /** Get more questions, and hold those at hand for longer. */
  refill() {
    if (!this.#tab.here) return Promise.resolve();
    this.#busy ??= this.#ask().finally(() => {
      this.#busy = null;
      this.dispatchEvent(new Event("change"));
    });
    return this.#busy;
  }

  async #ask() {
    const began = (this.#requests += 1);
    const unsent = this.#outbox.acts.filter((act) => act.cell).length;
    try {
      const reply = await post("questions", { n: Math.min(MOST, READY + unsent), options: SENT });
      if (!this.#tab.here) return;
      this.error = null;
      this.state = reply.state;
      this.waiting = reply.waiting;
      this.#merge(reply.questions, began);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.error = error;
    }
  }

  /** Keep the question on the screen; the rest comes from the server, without questions answered meanwhile. */
  #merge(questions, began) {
    for (const [cell, from] of this.#asked) if (from !== null && from <= began) this.#asked.delete(cell);
    const kept = this.questions.filter((one, n) => n === 0 || one.back);
    const cells = new Set([...kept.map(cellOf), ...this.#asked.keys()]);
    this.questions = [...kept, ...questions.filter((one) => !cells.has(cellOf(one)))];
    if (kept.length && !kept[0].back) {
      const same = questions.find((one) => cellOf(one) === cellOf(kept[0]));
      if (same) Object.assign(kept[0], { lease: same.lease, expires: same.expires });
    }
  }

  #stored(act) {
    if (act.cell && this.#asked.has(act.cell)) this.#asked.set(act.cell, this.#requests + 1);
    if (!this.#outbox.acts.some((one) => one.cell) || this.questions.length < 2) this.refill();
  }

  #remember(cell, skipped) {
    if (skipped === this.#skipped.has(cell)) return;
    if (skipped) this.#skipped.add(cell);
    else this.#skipped.delete(cell);
    local.set(this.#slot, [...this.#skipped]);
  }

  /** Hold on to the questions while someone looks at them, and look for new ones while there are none. */
  keep(leaseSeconds) {
    setInterval(() => !document.hidden && this.refill(), (1000 * leaseSeconds) / 3);
    setInterval(() => {
      if (!document.hidden && this.error?.status !== 401 && (this.questions.length === 0 || this.error)) this.refill();
    }, WAITING_MS);
    const back = () => !document.hidden && this.error?.status !== 401 && this.refill();
    addEventListener("pagehide", () => this.#tab.here && this.release(this.questions.slice(1)));
    addEventListener("pageshow", (event) => event.persisted && back());
    document.addEventListener("visibilitychange", back);
  }

  /** Give questions back. The one on the screen is kept, so that it is there again after a reload. */
  async release(questions) {
    const leases = questions.map((one) => one.lease).filter(Boolean);
    if (leases.length) await call("POST", "leases/release", { leases }, { keepalive: true }).catch(() => {});
  }
}
