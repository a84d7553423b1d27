// Every setting: what it does, what it is, its default, what changing it now would mean; errors stand beside the field.
import { call, get } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { capital } from "../shared/words.js";
import { key, page, section, statusLine } from "../lead/sheet.js";
import { control, written } from "./controls.js";

/** The view. */
export async function show(main, context) {
  const status = statusLine();
  const place = h("div", {});
  page(main, "Settings", { wide: false, beside: "changes count at once, and you can change them back" }, status.line, place);
  const found = await get("settings/about");
  const groups = Map.groupBy ? Map.groupBy(found, (one) => one.group) : grouped(found);
  put(place, [...groups].map(([name, settings], n) => section(`group-${n}`, name, {}, settings.map((one) => new Setting(one, status, context).element))));
  return null;
}

function grouped(found) {
  const groups = new Map();
  for (const one of found) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  return groups;
}

/** One setting: its words, its field, and the buttons that are there once something is to be done. */
class Setting {
  constructor(about, status, context) {
    Object.assign(this, { about, status, context });
    const id = `set-${about.name}`;
    this.field = control(about, id, () => this.#edited());
    this.wrong = h("p", { class: "wrong", id: `${id}-wrong`, role: "alert" });
    this.keep = h("button", { class: "button", "aria-label": `Save ${titleOf(about)}`, hidden: true }, "Save");
    this.back = h("button", { class: "link", type: "button", onclick: () => this.#change(this.about.default) });
    this.note = h("p", { class: "note" });
    this.now = h("p", { class: "now" }, "Changing it now: ", about.now);
    this.element = h("form", { class: "setting", "aria-label": titleOf(about), onsubmit: (event) => { event.preventDefault(); this.#change(this.field.value()); } },
      h("div", { class: "about" }, this.field.labelled ? h("label", { for: id }, titleOf(about)) : h("h3", {}, titleOf(about)), h("code", {}, about.name), h("p", {}, about.does)),
      h("div", { class: "value" }, h("div", { class: "row" }, this.field.element, this.field.labelled ? this.keep : null), this.wrong, this.note, this.now));
    this.#draw();
  }

  #edited() {
    const changed = this.field.value() !== this.field.shown(this.about.value);
    this.keep.hidden = !changed;
    this.now.className = changed ? "now near" : "now";
    this.#tell(null);
  }

  #draw() {
    const { about } = this;
    this.field.show(about.value);
    const isDefault = JSON.stringify(about.value) === JSON.stringify(about.default);
    put(this.back, `Reset to ${written(about.default)}`);
    this.back.setAttribute("aria-label", `Reset ${titleOf(about)} to ${written(about.default)}`);
    put(this.note, this.field.labelled ? [isDefault ? "Default." : `Default: ${written(about.default)}. `, isDefault ? null : this.back, ` May be ${about.allowed}.`] : null);
    this.#edited();
  }

  /** The error, beside the field. */
  #tell(error) {
    put(this.wrong, error ? `${capital(error.message).replace(/[^.?]$/, "$&.")} ${error.hint ?? ""}`.trim() : "");
    const { input } = this.field;
    if (!input) return;
    if (error) input.setAttribute("aria-describedby", this.wrong.id);
    else input.removeAttribute("aria-describedby");
    input.setAttribute("aria-invalid", String(Boolean(error)));
  }

  async #change(value) {
    const { about } = this;
    const before = written(about.value);
    try {
      const reply = await call("PATCH", "settings", { key: key(), changes: { [about.name]: value } });
      about.value = reply[about.name];
      this.#draw();
      this.status.say(before === written(about.value) ? `${titleOf(about)} is ${before} already.` : `${titleOf(about)}: ${before} → ${written(about.value)}. ${about.now}`);
      this.field.input.focus();
    } catch (error) {
      this.#tell(error);
      this.field.input.focus();
    }
  }
}

const titleOf = (about) => capital(about.name.replaceAll("_", " "));
