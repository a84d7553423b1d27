// The answers of this person, the last at the end, for Undo, also after a reload.
import { get } from "../shared/api.js";
import { scoped, session } from "../offline/browser_storage.js";

const KEPT = 60;
const EARLIER = 100;

/** The acts that can be taken back: {key, seq, item, label, value, kind, question, settled}. */
export class Past {
  #slot;

  constructor(who) {
    this.#slot = scoped("past", who);
    this.acts = session.get(this.#slot, []);
  }

  get last() { return this.acts.at(-1) ?? null; }

  add(act) {
    this.acts.push(act);
    this.acts.splice(0, this.acts.length - KEPT);
    this.#keep();
  }

  pop() {
    const act = this.acts.pop() ?? null;
    this.#keep();
    return act;
  }

  /** The server stored an act under a number. */
  stored(key, seq) {
    const act = this.acts.find((one) => one.key === key);
    if (act) {
      act.seq = seq;
      this.#keep();
    }
  }

  /** Something was taken back. */
  forget({ seq = null, key = null }) {
    this.acts = this.acts.filter((one) => !((seq !== null && one.seq === seq) || (key !== null && one.key === key)));
    this.#keep();
  }

  /** Only stored acts, and those waiting under one of the keys: another tab may have sent the rest. */
  keep(keys) {
    this.acts = this.acts.filter((one) => one.seq !== null || keys.includes(one.key));
    this.#keep();
  }

  /** Take over what the server knows of earlier answers, from before this tab was opened. */
  async read() {
    const { events } = await get(`history?limit=${EARLIER}&offered=false`);
    const known = new Set(this.acts.map((one) => one.seq));
    const gone = new Set(events.filter((event) => !event.stands).map((event) => event.seq));
    const earlier = events
      .filter((event) => event.stands && !known.has(event.seq) && (event.kind === "answer" || event.kind === "flag"))
      .map((event) => actOf(event));
    this.acts = [...earlier, ...this.acts.filter((one) => !gone.has(one.seq))];
    this.acts.sort((a, b) => (a.seq ?? Infinity) - (b.seq ?? Infinity));
  }

  #keep() {
    // After the next frame: this is not worth waiting for.
    this.timer ??= setTimeout(() => {
      this.timer = null;
      session.set(this.#slot, this.acts.slice(-KEPT));
    }, 50);
  }
}

/** A line of the history as an act. */
export function actOf(event) {
  const item = { id: event.item, text: event.text ?? null, fields: {}, image: null };
  const pick = event.label === null && Array.isArray(event.value) && event.value.length < 2;
  return { key: null, seq: event.seq, item, label: event.label, value: event.value, kind: event.kind, question: null, settled: null, pick };
}
