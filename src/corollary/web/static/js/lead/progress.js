// How far the campaign is: five figures, the curve, what to settle, labels, ontology, people. Live.
import { get, post } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { loadOntology } from "../shared/ontology.js";
import { sign } from "../shared/signs.js";
import { count, labelsOfItems, number, percent, when } from "../shared/words.js";
import { chart, numbers } from "./chart.js";
import { headline } from "./headline.js";
import { watch } from "./live.js";
import { flagLine, titleOf, whatIsSaid } from "./said.js";
import { clock, page, redraw, scroller, seconds, section, since, statusLine } from "./sheet.js";
import { labelTable, labelsAsCsv, peopleTable, witnessTable } from "./tables.js";
import { Tree } from "./tree.js";

const SHOWN = 5; // conflicts; the rest is on their own page
const UNFOLDED = 12; // labels: a larger tree shows its roots

/** The view. */
export async function show(main, context) {
  const lead = context.me.role === "lead";
  const [progress, onto] = await Promise.all([patiently(main), context.onto.labels.length ? context.onto : loadOntology()]);
  const view = new Progress(main, context, onto, lead);
  await view.draw(progress);
  const end = watch({ counts: (counts) => view.counts(counts), figures: (now) => view.draw(now).catch((error) => view.status.fail(error)), failed: (error) => view.status.fail(error) });
  return end;
}

/** The first look at a long log takes the server a while; it goes on when nobody waits. */
async function patiently(main, tries = 10) {
  try {
    return await get("progress");
  } catch (error) {
    if (!error.passes || tries === 0) throw error;
    page(main, "Progress", { beside: "computing the figures of a long log" });
    await new Promise((done) => setTimeout(done, 2000));
    return patiently(main, tries - 1);
  }
}

class Progress {
  constructor(main, context, onto, lead) {
    Object.assign(this, { context, onto, lead });
    this.status = statusLine();
    this.head = h("div", {});
    this.curve = chart();
    this.table = h("div", {});
    this.conflicts = h("div", {});
    this.model = h("div", {});
    this.labels = labelTable(onto);
    this.people = h("div", {});
    this.machines = h("div", {});
    this.byLabel = new Map();
    this.tree = new Tree(onto, { about: (label) => this.byLabel.get(label) ?? null, unfolded: UNFOLDED });
    this.explained = false; // whether it says what the figures mean
    this.paused = h("span", { class: "paused" });
    this.pause = h("button", { class: "button small", type: "button", onclick: () => this.#pause() }, "Pause");
    const csv = h("button", { class: "link", type: "button", onclick: () => this.#csv() }, "Download as CSV");
    this.page = page(main, "Progress", { beside: "", buttons: [this.paused, lead && this.pause, h("a", { class: "button small", href: "#/export" }, "Export now")] },
      this.status.line, this.head,
      h("div", { class: "lead-columns" },
        h("div", { class: "wide-column" },
          section("curve", context.me.one ? "Items labelled by questions asked" : "Labels of items settled by questions asked", { note: context.me.one ? null : "without the logic, only the answered part would be settled" }, h("div", { class: "chart-and-table" }, this.curve.box, this.table))),
        h("div", { class: "side-column" }, lead && this.conflicts, this.model,
          section("ontology", "Ontology", { note: "settled share, and labels to check" }, this.tree.element))),
      section("labels", "Labels", { note: key(), end: csv }, this.labels.place),
      lead && section("people", "People", { note: "by name", end: h("a", { class: "link", href: "#/people" }, "Invite") }, this.people),
      lead && this.machines);
  }

  /** Show all figures. */
  async draw(progress) {
    this.progress = progress;
    const { figures } = progress;
    put(this.page.beside, `${count(progress.items, "item")} · ${count(progress.labels, "label")} · ontology version ${progress.ontology} · round ${progress.model} · as of ${clock(figures.at)}`);
    this.#drawPause();
    this.#drawHead();
    this.curve.draw(progress);
    redraw(this.table, scroller("The same in numbers", numbers(progress)));
    redraw(this.model, section("model", "Rounds and model", { end: this.lead && progress.model ? h("a", { class: "link", href: "#/sure" }, "Accept sure predictions") : null }, modelList(progress)));
    this.byLabel = new Map(figures.by_label.map((one) => [one.label, one]));
    this.labels.draw(figures.by_label);
    this.tree.draw();
    if (!this.lead) return;
    redraw(this.people, peopleTable(figures.annotators));
    const [machines] = await Promise.all([get("witnesses"), this.#drawConflicts()]);
    redraw(this.machines, machines.length > 0 && section("machines", "Machines", { note: "reports are weighed by estimated reliability, with 90 % intervals; they are never facts" }, witnessTable(machines)));
  }

  /** Update the figures that change with every answer. */
  counts(progress) {
    this.context.bar.count(progress);
    this.context.bar.setWaiting(progress);
    if (!this.progress) return;
    this.progress = { ...this.progress, ...progress, figures: this.progress.figures };
    this.#drawPause();
    this.#drawHead();
  }

  #drawHead() {
    const explain = () => {
      this.explained = !this.explained;
      this.#drawHead();
    };
    redraw(this.head, headline(this.progress, { explained: this.explained, explain }));
  }

  #drawPause() {
    const { paused, paused_since: since } = this.progress;
    put(this.pause, paused ? "Go on" : "Pause");
    put(this.paused, paused && since ? `paused since ${when(since, { just: false })}` : "");
  }

  async #drawConflicts() {
    const [conflicts, flags] = await Promise.all([get("conflicts"), get("flags")]);
    const waiting = conflicts.reduce((sum, one) => sum + one.waiting, 0);
    const note = conflicts.length ? `${number(conflicts.length)}${waiting ? `, holding back ${labelsOfItems(waiting)}` : ""}` : null;
    const shown = [...conflicts.map((one) => conflictLine(this.onto, one)), ...flags.map((one) => flagLine(this.onto, one, { href: "#/conflicts" }))];
    redraw(this.conflicts, section("to-settle", "Conflicts to settle", { note, end: h("a", { class: "link", href: "#/answers" }, "History") },
      shown.length ? h("ul", { class: "to-settle" }, shown.slice(0, SHOWN)) : h("p", { class: "quiet" }, "Nothing to settle."),
      shown.length > SHOWN && h("p", {}, h("a", { class: "link", href: "#/conflicts" }, `and ${number(shown.length - SHOWN)} more`))));
  }

  async #pause() {
    try {
      const { paused } = await post("pause", { paused: !this.progress.paused });
      this.progress = { ...this.progress, paused, paused_since: paused ? new Date().toISOString() : null };
      this.#drawPause();
      this.status.say(paused ? "Paused: nobody gets questions until you go on. Late answers are still stored." : "People get questions again.");
    } catch (error) {
      this.status.fail(error);
    }
  }

  #csv() {
    const address = URL.createObjectURL(labelsAsCsv(this.progress.figures.by_label, this.onto));
    h("a", { href: address, download: "figures-by-label.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }
}

const key = () => h("span", { class: "key" }, ["answered", "implied", "open"].map((one) => [h("span", { class: `patch ${one}`, "aria-hidden": "true" }), one]));

function conflictLine(onto, one) {
  return h("li", {}, sign("clash"), h("div", {}, h("p", { class: "title" }, titleOf(onto, one)),
    h("p", { class: "note" }, whatIsSaid(onto, one))),
  h("a", { class: "button small", href: `#/conflicts/${encodeURIComponent(one.item.id)}`, "aria-label": `Settle ${titleOf(onto, one)}` }, "Settle"));
}

function modelList(progress) {
  const { figures: { models, oldest_lease: oldest, agreement, suggestions, answer_times: times, forecast }, training } = progress;
  const trained = models.at ? `round ${number(progress.model)}, trained ${when(models.at)}${models.seconds ? ` in ${models.seconds.toFixed(1)} s` : ""}` : training.training ? "the first is being trained" : "none yet";
  const next = training.training ? `under way for ${since(Date.now() - 1000 * (training.seconds ?? 0))}${training.took ? `; the last took ${Math.round(training.took)} s` : ""}` : models.next_after ? `after ${count(models.next_after, "more answer")}` : "due";
  const lines = [["Model", trained], ["Next training", training.error ? `${next}; the last failed: ${training.error}` : next],
    ...(forecast.worse ? [["Warning", forecast.worse]] : []), ...training.notes.map((note) => ["Note", note]), ...(progress.withdrawn ? [["Withdrawn", count(progress.withdrawn, "item")]] : []),
    ["Questions with people", progress.leases ? `${count(progress.leases, "question")}${oldest ? `, the first until ${clock(oldest)} at most` : ""}` : "none"],
    ["Second opinions due", number(progress.second_opinions_due)], ["Nobody can tell", count(progress.puzzling, "question")],
    ["Agreement α", agreement.alpha === null ? "too few second opinions" : `${agreement.alpha.toFixed(2)} on ${labelsOfItems(agreement.cells)}, implied ones among them`],
    ...(suggestions ? [["Answers like the model’s", `${agreed(suggestions.shown)} with a suggestion, ${agreed(suggestions.not_shown)} without`]] : []),
    ...TIMED.filter(([kind]) => times[kind].timed).map(([kind, name]) => [name, `${seconds(times[kind].median)}, the median of ${number(times[kind].timed)}`])];
  return h("dl", { class: "facts" }, lines.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** Kinds of questions, and what the time of an answer to one is called. */
const TIMED = [["yes_no", "Time of a yes or no"], ["whole_item", "Time of a whole item"], ["second_opinion", "Time of a second opinion"]];

const agreed = ({ agreed: n, answers }) => (answers ? `${percent(n, answers)} of ${count(answers, "answer")}` : "no answers");
