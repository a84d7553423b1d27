// Actions for selected items: answer a label of all of them at once.
import { h, put } from "../shared/dom.js";
import { sign } from "../shared/signs.js";
import { count } from "../shared/words.js";
import { labelField } from "./label_field.js";

/** A bar over the list, which stays in sight; its height stays too, so that nothing moves under the mouse. */
export class ManyBar {
  constructor(onto, { answer, clear }) {
    this.said = h("p", { role: "status" });
    this.field = labelField(onto, "many-label", { changed: () => put(this.wrong) });
    this.field.input.placeholder = "which label";
    this.wrong = h("p", { class: "wrong", role: "alert" });
    const button = (words, value, mark = null) => h("button", { class: "button", type: "button", onclick: () => {
      const label = this.field.label();
      put(this.wrong, label === null ? this.field.wrong() || "Choose a label to answer." : "");
      if (label === null) this.field.input.focus();
      else answer(label, value);
    } }, mark && sign(mark), words);
    this.controls = h("div", { class: "controls", hidden: true }, h("button", { class: "link", type: "button", onclick: clear }, "Select none"),
      h("div", { class: "field" }, h("label", { for: "many-label" }, "Label"), this.field.input, this.field.list), h("div", { class: "row" }, button("Yes", true, "yes"), button("No", false, "no"), button("Can’t tell", "cant_tell")), this.wrong);
    this.element = h("section", { class: "many", "aria-label": "Answer for all selected items" }, this.said, this.controls);
    this.show(0);
  }

  /** The label that the list is about is the one that is meant, unless someone says otherwise. */
  suggest(label) {
    if (label !== null && !this.field.input.value) this.field.set(label);
  }

  focus() { this.field.input.focus(); }

  show(n) {
    this.controls.hidden = n === 0;
    put(this.said, n ? h("b", {}, `${count(n, "item")} selected`) : "Select items to answer a label for all of them at once.");
  }
}
