// The five figures between two ink rules.
import { h } from "../shared/dom.js";
import { SAVED } from "../shared/bar.js";
import { sign } from "../shared/signs.js";
import { count, number, percent } from "../shared/words.js";
import { share } from "./sheet.js";
import { left } from "./scale.js";

/** Questions asked, how far it is, what nobody had to be asked, estimated accuracy, forecast. */
export function headline(progress, { explained = false, explain = () => {} } = {}) {
  const { figures, one } = progress;
  const name = one ? "Right without a question, est." : "Questions saved";
  const means = one ? UNASKED : SAVED;
  const info = h("button", { class: "info", type: "button", "data-key": "saved", "aria-expanded": String(explained), "aria-controls": "saved-means", "aria-label": `What “${name}” means`, title: means, onclick: explain }, "?");
  return [figuresOf(progress, figures, info), h("p", { class: "explained note", id: "saved-means", hidden: !explained }, h("b", {}, `${name}: `), means.charAt(0).toLowerCase() + means.slice(1))];
}

/** Where one label holds for each item. */
const UNASKED = "The expected number of items that are right although nobody was asked about them. Without predictions, people would answer one question for each item.";

function figuresOf(progress, figures, info) {
  return h("dl", { class: "headline" },
    figure("Questions asked", number(progress.asked), `${count(figures.second_opinions, "second opinion")}, ${number(figures.cant_tell)} can’t tell`),
    ...(progress.one ? itemFigures(progress, info) : labelFigures(progress, info)),
    figure(...accuracy(figures)),
    figure(...forecast(progress)));
}

function itemFigures(progress, info) {
  const { items, done, unasked } = progress;
  const share = progress.figures.forecast.accuracy?.value ?? progress.figures.predicted?.items ?? null;
  const right = share === null ? null : Math.max(Math.round(share * items) - (done - unasked), 0);
  const open = `${number(items - done)} open${right === null ? "" : " and predicted"}${unasked ? `, ${number(unasked)} accepted` : ""}`;
  return [figure("Items labelled", percent(done, items), `${number(done)} of ${number(items)}`),
    figure("Right without a question, est.", right === null ? "not yet" : count(right, "item"), right === null ? "after the first training" : open, { mark: sign("logic"), end: info })];
}

function labelFigures(progress, info) {
  const each = progress.asked ? `each question settles ${((progress.settled - progress.brought) / progress.asked).toFixed(1)} labels${progress.saved_today > 0 ? `; ${number(progress.saved_today)} today` : ""}` : "nothing asked yet";
  return [figure("Labels of items settled", percent(progress.settled, progress.cells), `${number(progress.settled)} of ${number(progress.cells)}; ${number(progress.open)} open`),
    figure("Questions saved", number(progress.saved), each, { mark: sign("logic"), end: info })];
}

function figure(name, value, note, { mark = null, end = null } = {}) {
  return h("div", {}, h("dt", {}, mark, h("span", {}, name), end), h("dd", { class: "value" }, value), h("dd", { class: "note" }, note));
}

function accuracy({ accuracy: found, forecast, predicted }) {
  const name = "Estimated accuracy";
  const range = (one) => `${(100 * one.low).toFixed(1)} to ${(100 * one.high).toFixed(1)}`;
  if (found) return [name, share(found.value), `${range(found)}, by ${found.source}`];
  if (forecast.accuracy) return [name, share(forecast.accuracy.value), `of items, ${range(forecast.accuracy)}, by the model; ${target(forecast)}`];
  if (predicted?.items) return [name, share(predicted.items), "of items, as the model expects; not confirmed by answers yet"];
  return [name, "not yet", "needs second opinions or gold questions"];
}

/** Whether the target is reached, and if not why. */
function target({ target: wanted, reached, why_not }) {
  return `the target of ${share(wanted)} is ${reached ? "reached" : `not reached: ${why_not}`}`;
}

/** The questions to the target, and to the end. */
function forecast(progress) {
  const { forecast: found, models } = progress.figures;
  const name = "Forecast";
  if (!progress.open && progress.cells) return [name, "done", progress.one ? "every item is labelled" : "every label is settled"];
  const end = left(progress);
  if (end) {
    const days = end.days === null ? "" : end.days < 1 ? "; within a day" : `; about ${count(Math.ceil(end.days), "day")}`;
    const toEnd = `${number(end.questions)} to the end (${number(end.low)} to ${number(end.high)})${days}`;
    if (!end.target || found.reached) return [name, `${number(end.questions)} more`, `${found.reached ? `the target of ${share(found.target)} is reached; ` : ""}${toEnd}`];
    return [name, `${number(end.target.questions)} more`, `to ${share(found.target)} right (${number(end.target.low)} to ${number(end.target.high)}); ${toEnd}`];
  }
  if (found.state === "coming") return [name, "coming", "being computed"];
  if (found.state === "failed") return [name, "not known", found.error];
  const more = (found.after ?? 0) - progress.asked;
  const most = Math.min(found.most ?? Infinity, progress.open);
  if (more > most) return [name, `${number(most)} at most`, `one for each open ${most < progress.open ? "item" : "label"}, second opinions aside`];
  return [name, "not yet", more > 0 ? `forecast after ${count(more, "more answer")}` : models.at ? "with the next training" : "after the first training"];
}
