// A new release of the ontology: a file or pasted text, what it would do, which answers follow, then put in force.
import { call, newKey } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { count, list, number } from "../shared/words.js";
import { section } from "./sheet.js";

const PATIENCE_MS = 300_000; // a release may have ten thousand terms
/** How a file is read: what its name ends in, and the format if that does not tell. */
const FORMATS = [["OBO", ".obo"], ["OWL in RDF/XML", ".owl"], ["OWL in Turtle", ".ttl"], ["SKOS in RDF/XML", ".rdf", "skos"], ["SKOS in Turtle", ".ttl", "skos"], ["Rules, as under Edit", ".onto"], ["Table, CSV", ".csv"]];
const SAID = { true: "yes", false: "no", cant_tell: "can’t tell" };

export class Release {
  /** `done` is called with the version and the number of the event once a release is in force. */
  constructor(status, done) {
    Object.assign(this, { status, done });
    this.follow = new Map();
    this.file = h("input", { type: "file", id: "release-file", accept: ".obo,.owl,.rdf,.xml,.ttl,.nt,.onto,.csv,.tsv", onchange: () => this.follow.clear() });
    this.pasted = h("textarea", { id: "release-text", rows: "4", spellcheck: "false", autocapitalize: "off" });
    this.format = h("select", { id: "release-format" }, h("option", { value: "" }, "by the name of the file"), FORMATS.map(([words], n) => h("option", { value: n }, words)));
    this.siblings = h("input", { type: "checkbox", id: "release-siblings" });
    this.broader = h("input", { type: "checkbox", id: "release-broader" });
    this.language = h("input", { type: "text", id: "release-language", maxlength: "50", autocomplete: "off", placeholder: "any, such as en" });
    this.found = h("div", { "aria-live": "polite" });
    this.force = h("button", { class: "button main", type: "button", "aria-disabled": "true", onclick: () => this.#change() }, "Put the release in force");
    const field = (words, input) => h("div", { class: "field" }, h("label", { for: input.id }, words), input);
    this.element = section("release", "A new release", { note: "answers follow terms that were renamed, merged or replaced" },
      field("File: OBO, OWL, SKOS, rules or a table", this.file), field("Or its text", this.pasted),
      h("details", { class: "fold" }, h("summary", {}, "How to read it"), field("Format", this.format), field("Language of the names", this.language),
        h("p", {}, h("label", {}, this.siblings, " Labels under the same parent exclude each other")), h("p", {}, h("label", {}, this.broader, " Read SKOS “broader” as “is a”"))),
      h("p", { class: "row" }, h("button", { class: "button", type: "button", onclick: () => this.look() }, "Preview the release"), this.force), this.found);
    this.element.addEventListener("input", () => this.#edited());
    this.element.addEventListener("change", () => this.#edited());
  }

  /** Look at rules that were edited: the lead says which labels mean the same. */
  async lookAt(text) {
    this.file.value = "";
    this.pasted.value = text;
    this.format.value = String(FORMATS.findIndex(([, suffix]) => suffix === ".onto"));
    this.follow.clear();
    await this.look();
    this.element.scrollIntoView();
  }

  /** Forget the preview, because it is out of date. */
  #edited() {
    this.seen = undefined;
    this.force.setAttribute("aria-disabled", "true");
  }

  /** The file, or the text, and how it is read. */
  async #content() {
    const [file] = this.file.files;
    const [, suffix, format] = FORMATS[this.format.value] ?? [];
    let name = file?.name ?? "pasted";
    if (suffix && !name.toLowerCase().endsWith(suffix)) name += suffix;
    let text = this.pasted.value;
    if (file) {
      try {
        text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      } catch {
        throw new Error(`${file.name} is not UTF-8 text. Save it as UTF-8, uncompressed.`);
      }
    }
    const language = this.language.value.trim();
    return { name, text, ...(format && { format }), ...(language && { language }), siblings_exclusive: this.siblings.checked, broader: this.broader.checked };
  }

  async look() {
    this.#edited();
    if (!this.file.files.length && !this.pasted.value.trim()) {
      this.status.say("Choose a file, or paste its text.");
      return;
    }
    this.status.say("Comparing the release with the ontology in force.");
    const asked = (this.asked = {}); // of two looks the later one counts
    try {
      const content = { ...(await this.#content()), follow: Object.fromEntries([...this.follow].filter(([, to]) => to)) };
      const found = await call("POST", "ontology/release/preview", content, { timeout: PATIENCE_MS });
      if (this.asked !== asked) return;
      this.status.say();
      put(this.found, this.#preview(found));
      if (found.refused.length) return;
      this.seen = { ...content, key: newKey(), version: found.version, out_of_effect: found.in_all.out_of_effect };
      this.force.setAttribute("aria-disabled", "false");
    } catch (error) {
      if (this.asked !== asked) return;
      this.status.say();
      put(this.found, h("div", { class: "would-do", role: "alert" }, h("h3", { class: "look" }, "The release cannot be compared"), h("p", {}, `${error.message} ${error.hint ?? ""}`)));
    }
  }

  async #change() {
    const { seen } = this;
    if (!seen) {
      this.status.say("First preview the effects.");
      return;
    }
    this.force.setAttribute("aria-disabled", "true");
    this.status.say("Putting the release in force.");
    try {
      const { version, seq } = await call("PUT", "ontology/release", seen, { timeout: PATIENCE_MS }); // once, however often it is sent
      this.#edited();
      this.file.value = this.pasted.value = "";
      this.follow.clear();
      put(this.found);
      await this.done(version, seq);
    } catch (error) {
      this.status.fail(error);
      if (!error.final && this.seen === seen) this.force.setAttribute("aria-disabled", "false");
    }
  }

  #preview(found) {
    const all = found.in_all;
    const to = (one) => `${one.label} → ${one.to}${one.reason === "renamed" ? "" : `: ${one.reason}`}`;
    const figures = [[found.stay, "answer stays", "answers stay"], [found.follow, "answer follows to another label", "answers follow to another label"], [all.out_of_effect, "answer out of effect", "answers out of effect"],
      [found.settles, "label of an item settled", "labels of items settled"], [found.reopens, "label of an item open again", "labels of items open again"], [found.breaks_in_all, "conflict arises", "conflicts arise"]];
    return h("div", { class: "would-do" }, h("h3", {}, "Effects of the release"),
      h("dl", {}, figures.map(([n, one, more]) => h("div", { class: "pair" }, h("dt", {}, number(n)), h("dd", {}, n === 1 ? one : more)))),
      many(found.added, all.added, "label new", "labels new", (one) => one),
      many(found.renamed, all.renamed, "label renamed", "labels renamed", to),
      many(found.names, all.names, "label with another name", "labels with another name", (one) => `${one.label}: ${one.before} → ${one.after}`),
      many(found.merged, all.merged, "label merged", "labels merged", to),
      many(found.moved, all.moved, "label moved", "labels moved", (one) => `${one.label}: from ${list(one.before) || "the top"} to ${list(one.after) || "the top"}`),
      many(found.gone, all.gone, "label gone", "labels gone", (one) => [`${one.label}: ${one.reason}`, this.#successor(one, found.added)], true),
      many(found.out_of_effect, all.out_of_effect, "answer out of effect", "answers out of effect", (one) => `“${one.item}”, ${one.label}: ${SAID[one.value]}, ${one.who}: ${one.reason}`, true),
      many(found.breaks, found.breaks_in_all, "conflict arises", "conflicts arise", (one) => `“${one.item}”: ${one.message}`),
      many(found.not_expressed, all.not_expressed, "part of the file is not expressed", "parts of the file are not expressed", (one) => one),
      found.refused.length ? [h("p", { class: "look" }, "It contradicts decisions of a lead. Take them back first."), h("ul", {}, found.refused.slice(0, 10).map((one) => h("li", {}, `“${one.item}”: ${one.message}`)))] : null);
  }

  /** Choose the label that means the same as a removed one, so that its answers follow. */
  #successor({ label, choices }, added) {
    this.fields = (this.fields ?? 0) + 1;
    const known = h("datalist", { id: `same-${this.fields}` }, [...new Set([...choices, ...added])].map((one) => h("option", { value: one })));
    const input = h("input", { type: "text", autocomplete: "off", value: this.follow.get(label) ?? "", list: known.id, placeholder: choices[0], "aria-label": `${label} means the same as`, onchange: () => this.follow.set(label, input.value.trim()) });
    return h("span", { class: "row same-as" }, "means the same as", input, known);
  }
}

/** A list that opens; how many there are in all, also where not all are listed. */
function many(entries, all, one, more, words, open = false) {
  if (!entries.length) return null;
  return h("details", { class: "fold", open }, h("summary", {}, count(all, one, more)),
    h("ul", {}, entries.map((entry) => h("li", {}, words(entry))), all > entries.length ? h("li", {}, `and ${number(all - entries.length)} more`) : null));
}
