// The outbox: what someone said goes out in order, each once, and is kept on this device until the server has it.
import { ApiError, newKey, post } from "../shared/api.js";
import { local, scoped } from "./browser_storage.js";

const LONGEST_WAIT_S = 30;
const SLOW_MS = 400;

/** Acts wait here until they are stored. Events: "change", "stored", "refused" and "signedout". */
export class Outbox extends EventTarget {
  #prefix;
  #acts = [];
  #sending = null;
  #timer = null;
  #tries = 0;
  #since = 0;
  #seqs = new Map();
  #tab;

  constructor(who, tab) {
    super();
    this.#tab = tab;
    this.#prefix = scoped("act", who, "");
    this.error = null;
    this.retryAt = null;
    this.#read();
    tab.addEventListener("taken", () => {
      this.#read();
      this.send();
    });
    tab.addEventListener("lost", () => this.#leave());
    globalThis.addEventListener("online", () => this.send());
  }

  /** The answers that wait on this device, from all tabs. */
  #read() {
    const known = new Map(this.#acts.map((act) => [act.slot, act]));
    const kept = local.keys(this.#prefix).map((slot) => known.get(slot) ?? { ...local.get(slot), slot, tried: true });
    this.#acts = kept.filter((act) => act.key);
  }

  /** Another tab sends it from now on. */
  #leave() {
    clearTimeout(this.#timer);
    this.#acts = [];
    this.error = this.retryAt = null;
    this.#tell("change");
  }

  get waiting() { return this.#acts.length; }

  get acts() { return this.#acts; }

  /** Whether the server cannot be reached. */
  get offline() { return this.waiting > 0 && this.error?.status === 0; }

  /** Whether it takes so long that it is worth a word. */
  get slow() { return this.waiting > 0 && performance.now() - this.#since > SLOW_MS; }

  /** Take in an act: {path, body, cell, about}; an undo says by `of` which act it takes back. Its key comes back. */
  add(act) {
    const key = newKey();
    const slot = this.#prefix + String(Date.now()).padStart(15, "0") + "|" + String(performance.now()).padStart(20, "0");
    const kept = { ...act, key, at: new Date().toISOString() };
    local.set(slot, kept);
    if (!this.waiting) {
      this.#since = performance.now();
      setTimeout(() => this.#tell("change"), SLOW_MS + 10);
    }
    this.#acts.push({ ...kept, slot });
    this.#tell("change");
    queueMicrotask(() => this.send());
    return key;
  }

  /** Forget an act that has not gone out; whether it could. */
  drop(key) {
    const act = this.#acts.find((one) => one.key === key);
    if (!act || this.#sending === act || act.tried) return false;
    this.#remove(act);
    return true;
  }

  /** The number in the log of an act that was stored. */
  seqOf(key) { return this.#seqs.get(key) ?? null; }

  /** Send what waits; `now` without waiting for the next try. */
  async send() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#sending || !this.#tab.here) return;
    while (this.#acts.length) {
      const act = (this.#sending = this.#acts[0]);
      try {
        const reply = await post(act.path, this.#bodyOf(act));
        this.#stored(act, reply);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (this.#failed(act, error)) break;
      } finally {
        this.#sending = null;
      }
    }
    this.#tell("change");
  }

  #bodyOf(act) {
    act.tried = true;
    const seq = act.of ? this.#seqs.get(act.of) ?? act.seq : act.seq;
    return { ...act.body, key: act.key, ...(seq ? { seq } : {}) };
  }

  #stored(act, reply) {
    this.#seqs.set(act.key, reply.seq);
    this.#tries = 0;
    this.error = this.retryAt = null;
    this.#since = performance.now();
    this.#remove(act);
    this.#tell("stored", { act, reply });
  }

  /** Handle an error; return whether to stop for now. */
  #failed(act, error) {
    if (error.status === 401) {
      this.error = error;
      this.#tell("signedout");
      return true;
    }
    if (!error.final) {
      this.#tries += 1;
      const seconds = error.retryAfter ?? Math.min(LONGEST_WAIT_S, 2 ** (this.#tries - 1));
      this.error = error;
      this.failing = act;
      this.retryAt = Date.now() + 1000 * seconds;
      this.#timer = setTimeout(() => this.send(), 1000 * seconds);
      return true;
    }
    this.#remove(act);
    this.#tell("refused", { act, error });
    return false;
  }

  #remove(act) {
    local.remove(act.slot);
    this.#acts = this.#acts.filter((one) => one !== act);
    this.#tell("change");
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
