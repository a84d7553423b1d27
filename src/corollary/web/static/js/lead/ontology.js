// The ontology: its tree with settled labels, definitions, an edit tried out before it counts, and its versions.
import { call, get, post } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { Ontology } from "../shared/ontology.js";
import { count, list, number, when } from "../shared/words.js";
import { Release } from "./release.js";
import { key, page, section, share, statusLine } from "./sheet.js";
import { Tree } from "./tree.js";

const FOLDED = 8; // changes of a version from which on they are folded away

/** The view; the address may name a label. */
export async function show(main, context, route) {
  const view = new OntologyView(main, context);
  await view.read(decodeURIComponent(route.split("/").slice(1).join("/")) || null);
  return null;
}

class OntologyView {
  constructor(main, context) {
    Object.assign(this, { main, context });
    this.status = statusLine();
    this.tree = h("div", {});
    this.about = h("div", { class: "about-label" });
    this.found = h("div", { "aria-live": "polite" });
    this.versions = h("div", {});
    this.text = h("textarea", { id: "onto-text", class: "onto-text", readonly: true, spellcheck: "false", autocapitalize: "off", oninput: () => this.#edited() });
    this.force = h("button", { class: "button main", type: "button", "aria-disabled": "true", onclick: () => this.#change() }, "Put in force");
    this.release = new Release(this.status, (version, seq) => this.#inForce(version, seq));
    this.page = page(main, "Ontology", { beside: "" }, this.status.line, h("div", { class: "onto-columns" },
      section("tree", "Labels", { note: "settled share, and labels to check" }, this.tree),
      h("div", {}, section("label", "One label", { note: "choose it in the tree" }, this.about),
        section("onto-edit", "Edit", { note: "nothing changes before you see the effects" },
          h("div", { class: "field" }, h("label", { for: "onto-text" }, "The rules, as text"), this.text),
          h("p", { class: "row" }, h("button", { class: "button", type: "button", onclick: () => this.#preview() }, "Preview the effects"), this.force,
            h("button", { class: "button plain", type: "button", onclick: () => this.#reset() }, "Reset")), this.found),
        this.release.element,
        section("versions", "Versions", {}, this.versions))));
  }

  async read(label = null) {
    const [raw, progress, settings, texts] = await Promise.all([get("ontology"), get("progress"), get("settings"), get("ontology/versions")]);
    this.raw = raw;
    this.settings = settings;
    this.onto = this.context.onto = new Ontology(raw);
    this.figures = new Map(progress.figures.by_label.map((one) => [one.label, one]));
    put(this.page.beside, `version ${raw.version} · ${count(raw.labels.length, "label")} · ${count(raw.rules.length, "rule")}`);
    this.view = new Tree(this.onto, { about: (one) => this.figures.get(one) ?? null, choose: (one) => this.#show(one), name: "Labels" });
    put(this.tree, this.view.element);
    this.text.value = raw.text;
    this.text.readOnly = false; // not before: what comes late would take the place of what was written
    this.#edited();
    put(this.found);
    const written = new Map(texts.map((one) => [one.version, one]));
    put(this.versions, versionList(progress.figures.versions.map((one) => ({ ...one, ...written.get(one.version), at: one.at ?? written.get(one.version)?.at })), raw.version, (one) => this.#goBack(one), (one) => this.#takeBack(one)));
    const chosen = this.onto.about.has(label) ? label : this.onto.roots[0];
    if (chosen !== undefined) this.#show(chosen);
    this.view.chosen = chosen;
    this.view.draw();
  }

  /** A label: its definition, rules and figures. */
  #show(label) {
    const info = this.onto.about.get(label);
    const one = this.figures.get(label);
    const rules = this.onto.rules.filter((rule) => rule.labels?.includes(label));
    const said = this.settings.labels[label] ?? {};
    const name = h("input", { type: "text", id: "label-name", maxlength: "1000", autocomplete: "off", value: said.name ?? "", placeholder: this.onto.name(label) });
    const synonyms = h("input", { type: "text", id: "synonyms", maxlength: "10000", autocomplete: "off", value: said.synonyms ?? "" });
    const definition = h("textarea", { id: "definition", rows: "2", maxlength: "10000", value: info.definition ?? "" });
    const question = h("input", { type: "text", id: "question", maxlength: "1000", autocomplete: "off", value: info.question ?? "", placeholder: info.asks });
    put(this.about, h("h3", {}, this.onto.named([...this.onto.path(label), label]).join(" › ")),
      h("p", { class: "definition" }, info.definition ?? "No definition yet: people see only the name."),
      one && h("p", { class: "note" }, `${count(one.yes, "item")} yes, ${number(one.no)} no, ${number(one.open)} open. ${number(one.answered)} answered, ${number(one.implied)} implied. Agreement α ${one.alpha === null ? "not known, too few second opinions" : one.alpha.toFixed(2)}${one.accuracy === null ? "" : `; about ${share(one.accuracy)} of the answers are right`}.`),
      h("ul", { class: "rules" }, rules.map((rule) => h("li", {}, this.onto.sentence(rule, [label])))),
      h("details", { class: "fold" }, h("summary", {}, "Change name, definition or question"),
        h("div", { class: "field" }, h("label", { for: name.id }, "Displayed name"), name),
        h("div", { class: "field" }, h("label", { for: "definition" }, "Definition"), definition),
        h("div", { class: "field" }, h("label", { for: synonyms.id }, "Synonyms, separated by ;"), synonyms),
        h("div", { class: "field" }, h("label", { for: "question" }, "Question, with {item} for the item’s name"), question),
        h("p", {}, h("button", { class: "button", type: "button", onclick: () => this.#describe(label, { name, definition, synonyms, question }) }, "Save"))));
  }

  async #describe(label, fields) {
    const about = Object.fromEntries(Object.entries(fields).map(([part, { value }]) => [part, value.trim()]).filter(([, text]) => text));
    const { [label]: _, ...others } = this.settings.labels;
    const labels = Object.keys(about).length ? { ...others, [label]: about } : others;
    try {
      await call("PATCH", "settings", { key: key(), changes: { labels } });
      await this.read(label);
      this.status.say(`People now see this for ${this.onto.name(label)}.`);
      this.main.querySelector("h1").focus();
    } catch (error) {
      this.status.fail(error);
    }
  }

  #edited() {
    const ready = this.previewed !== undefined && this.previewed === this.text.value;
    this.force.setAttribute("aria-disabled", String(!ready));
  }

  #reset() {
    this.text.value = this.raw.text;
    this.previewed = undefined;
    put(this.found);
    this.#edited();
    this.text.focus();
  }

  /** An earlier text goes the way of every other change: first a look, then into force as a version of its own. */
  async #goBack({ version, text }) {
    this.text.value = text;
    await this.#preview();
    this.status.say(`The editor has the text of version ${number(version)}, with its effects below. Nothing has changed yet.`);
    this.text.scrollIntoView({ block: "center" });
    this.text.focus({ preventScroll: true });
  }

  async #preview() {
    const { value } = this.text;
    try {
      const preview = await post("ontology/preview", { text: value });
      this.status.say();
      this.previewed = preview.refused.length ? undefined : value;
      put(this.found, previewOf(preview, () => this.release.lookAt(value)));
    } catch (error) {
      this.previewed = undefined;
      put(this.found, h("div", { class: "would-do", role: "alert" }, h("h3", { class: "look" }, "This is not a valid ontology"), h("p", {}, `${error.message} ${error.hint ?? ""}`)));
    }
    this.#edited();
  }

  /** A release is in force: one undo takes it back. */
  async #inForce(version, seq) {
    await this.read();
    this.status.say(`Version ${number(version)} is in force. `, h("button", { class: "button small", type: "button", onclick: () => this.#takeBack({ version, seq }) }, "Undo the release"));
    this.main.querySelector("h1").focus();
  }

  /** Back to the version before, with its names and answers; nobody’s answers are lost. */
  async #takeBack({ version, seq }) {
    try {
      await post("undo", { key: key(), seq });
      await this.read();
      this.status.say(`Version ${number(version)} is taken back. Labels, names and answers are as before it.`);
      this.main.querySelector("h1").focus();
    } catch (error) {
      this.status.fail(error);
    }
  }

  async #change() {
    if (this.force.getAttribute("aria-disabled") === "true") {
      this.status.say("First preview the effects.");
      return;
    }
    try {
      const { version } = await call("PUT", "ontology", { key: key(), text: this.text.value });
      this.previewed = undefined;
      await this.read();
      this.status.say(`Version ${version} is in force. Answers stay; their consequences are derived again.`);
      this.main.querySelector("h1").focus();
    } catch (error) {
      this.status.fail(error);
    }
  }
}

/** The effects of a change: labels settled, reopened, and conflicts. */
function previewOf(preview, follow) {
  const more = (all, shown) => (all > shown ? h("li", {}, `and ${number(all - shown)} more`) : null);
  const breaks = preview.breaks.slice(0, 10);
  return h("div", { class: "would-do" }, h("h3", {}, "Effects"),
    h("dl", {}, [[preview.settles, "label of an item settled", "labels of items settled"], [preview.reopens, "label of an item open again", "labels of items open again"], [preview.breaks_in_all, "conflict arises", "conflicts arise"], [preview.mends_in_all, "item without its conflicts", "items without their conflicts"]]
      .map(([n, one, more]) => h("div", { class: "pair" }, h("dt", {}, number(n)), h("dd", {}, n === 1 ? one : more)))),
    preview.added.length ? h("p", {}, `New: ${list(preview.added, { most: 12 })}.`) : null,
    preview.removed.length ? h("p", { class: "look" }, `Removed, with the answers about them: ${list(preview.removed, { most: 12 })}.`) : null,
    preview.removed.length ? h("p", {}, h("button", { class: "button", type: "button", onclick: follow }, "Move answers to other labels")) : null,
    breaks.length ? h("ul", {}, breaks.map((one) => h("li", {}, `“${one.item}”: ${one.message}`)), more(preview.breaks_in_all, breaks.length)) : null,
    preview.refused.length ? [h("p", { class: "look" }, "It contradicts decisions of a lead. Take them back first."), h("ul", {}, preview.refused.slice(0, 10).map((one) => h("li", {}, `“${one.item}”: ${one.message}`)))] : null);
}

/** The last first: when, by whom, what changed, and the way back. */
function versionList(versions, current, goBack, takeBack) {
  return h("ol", { class: "versions", reversed: true }, versions.map((one) => h("li", {}, h("b", {}, `Version ${number(one.version)}`),
    h("span", { class: "note" }, [one.version === current && "in force", one.who && `by ${one.who}`, one.at && when(one.at), `${count(one.labels, "label")}, ${count(one.rules, "rule")}`].filter(Boolean).map((part) => ` · ${part}`)),
    one.version === current && one.seq ? h("button", { class: "button small", type: "button", "aria-label": `Take back version ${one.version}`, onclick: () => takeBack(one) }, "Take it back") : null,
    one.version === current || !one.text ? null : h("button", { class: "button small", type: "button", "aria-label": `Go back to version ${one.version}`, onclick: () => goBack(one) }, "Go back to it"),
    changes(one))));
}

/** The rules that a version added and removed; many of them are folded away. */
function changes({ added, removed }) {
  const lines = (kind, mark, rules) => rules.map((rule) => h("li", { class: kind }, h("span", { class: "unseen" }, kind === "plus" ? "added: " : "removed: "), h("code", {}, `${mark} ${rule}`)));
  if (!added.length && !removed.length) return null;
  const all = h("ul", {}, lines("plus", "+", added), lines("minus", "−", removed));
  if (added.length + removed.length <= FOLDED) return all;
  return h("details", { class: "fold" }, h("summary", {}, `${count(added.length, "rule")} added, ${number(removed.length)} removed`), all);
}
