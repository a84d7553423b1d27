// One tab of a person asks and answers at a time: the last one that they turned to. The others say so, and wait.
import { newKey } from "../shared/api.js";
import { local, scoped } from "./browser_storage.js";

/** Whether this tab is the one. Events: "taken" and "lost". */
export class Tab extends EventTarget {
  #slot;
  #id = newKey();
  #was = false;

  constructor(who) {
    super();
    this.#slot = scoped("tab", who);
    this.wanted = false; // whether this tab shows questions or answers now
    addEventListener("storage", ({ key }) => (key === this.#slot || key === null) && this.#look());
    document.addEventListener("visibilitychange", () => this.#look());
    addEventListener("pageshow", ({ persisted }) => persisted && this.#look());
    addEventListener("pagehide", () => this.here && local.remove(this.#slot));
  }

  /** Asked anew each time: what another tab did a moment ago counts. */
  get here() { return local.get(this.#slot) === this.#id; }

  get free() { return local.get(this.#slot) === null; }

  take() {
    local.set(this.#slot, this.#id);
    this.#look();
  }

  /** See who has it now; what nobody has is taken up by a tab that someone looks at. */
  #look() {
    if (this.free && this.wanted && !document.hidden) local.set(this.#slot, this.#id);
    if (this.here === this.#was) return;
    this.#was = this.here;
    this.dispatchEvent(new Event(this.#was ? "taken" : "lost"));
  }
}
