// "Which is it?" on the page of an item: the picker of the labelling page, where one of the open labels is true.
import { get } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { Pick } from "../shared/pick.js";
import { SENT } from "../shared/pick_options.js";

const FEWEST = 3; // of fewer, yes or no beside them says as much

/** A place that has the picker where there is something to pick; `say` takes the labels that hold, or "cant_tell". */
export class PickHere {
  constructor(onto, say) {
    Object.assign(this, { onto, say });
    this.element = h("div", { class: "pick-place" });
  }

  async read(id) {
    this.choice = { item: { id }, ...await get(`options?${new URLSearchParams({ item: id, limit: SENT })}`) };
  }

  /** Where people can be wrong, their answers settle labels, and one more opinion still counts. */
  draw(open) {
    const { choice } = this;
    const here = choice.one && choice.pickable + choice.none >= FEWEST;
    this.pick = here ? new Pick(this.onto, choice, this.say, { title: open ? "Which is it?" : "Which would you say it is?", ownKeys: false }) : null;
    put(this.element, this.pick && [this.pick.element, h("p", { class: "row" }, h("button", { class: "button", type: "button", onclick: () => this.say("cant_tell") }, "Can’t tell"))]);
  }

  /** A key that the picker takes. */
  press(key) { return key === "no" ? this.pick?.none() : this.pick?.keys[key](); }
}
