// The five figures between two ink rules.
import { h } from "../shared/dom.js";
import { SAVED } from "../shared/bar.js";
import { sign } from "../shared/signs.js";
import { count, number, percent } from "../shared/words.js";
import { share } from "./sheet.js";
import { left } from "./scale.js";

/** Questions asked, cells settled, questions saved, estimated accuracy, forecast to the end. */
export function headline(told, { explained = false, explain = () => {} } = {}) {
  const { figures } = told;
  const info = h("button", { class: "info", type: "button", "data-key": "saved", "aria-expanded": String(explained), "aria-controls": "saved-means", "aria-label": "What questions saved means", title: SAVED, onclick: explain }, "?");
  return [figuresOf(told, figures, info), h("p", { class: "explained note", id: "saved-means", hidden: !explained }, h("b", {}, "Questions saved: "), SAVED.charAt(0).toLowerCase() + SAVED.slice(1))];
}

function figuresOf(told, figures, info) {
  return h("dl", { class: "headline" },
    figure("Questions asked", number(told.asked), `${count(figures.second_opinions, "second opinion")}, ${number(figures.cant_tell)} can’t tell`),
    figure("Cells settled", percent(told.settled, told.cells), `${number(told.settled)} of ${number(told.cells)}; ${number(told.open)} open`),
    figure("Questions saved", number(told.saved), told.asked ? `each question settles ${((told.settled - told.brought) / told.asked).toFixed(1)} cells${told.saved_today > 0 ? `; ${number(told.saved_today)} today` : ""}` : "nothing asked yet", { mark: sign("logic"), end: info }),
    figure(...accuracy(figures)),
    figure(...forecast(told)));
}

function figure(name, value, note, { mark = null, end = null } = {}) {
  return h("div", {}, h("dt", {}, mark, h("span", {}, name), end), h("dd", { class: "value" }, value), h("dd", { class: "note" }, note));
}

function accuracy({ accuracy: found, forecast, predicted }) {
  const name = "Estimated accuracy";
  const range = (one) => `${(100 * one.low).toFixed(1)} to ${(100 * one.high).toFixed(1)}`;
  if (found) return [name, share(found.value), `${range(found)}, by ${found.source}`];
  if (forecast.accuracy) return [name, share(forecast.accuracy.value), `of items, ${range(forecast.accuracy)}, by the model; ${target(forecast)}`];
  if (predicted?.items) return [name, share(predicted.items), "of items, as the model expects; no answers confirm it yet"];
  return [name, "not yet", "needs second opinions or gold questions"];
}

/** Whether the target is reached, and if not why. */
function target({ target: wanted, reached, why_not }) {
  return `the target of ${share(wanted)} is ${reached ? "reached" : `not reached: ${why_not}`}`;
}

function forecast(told) {
  const name = "Forecast to the end";
  const { forecast: found, models } = told.figures;
  if (!told.open && told.cells) return [name, "done", "every cell is settled"];
  const end = left(told);
  if (end) {
    const days = end.days === null ? "" : end.days < 1 ? "; within a day" : `; about ${count(Math.ceil(end.days), "day")}`;
    return [name, `${number(end.questions)} more`, `${number(end.low)} to ${number(end.high)}${days}`];
  }
  if (found.state === "coming") return [name, "coming", "it is being worked out"];
  if (found.state === "failed") return [name, "not known", found.error];
  const more = (found.after ?? 0) - told.asked;
  if (more > told.open) return [name, `${number(told.open)} at most`, "one for each open cell, second opinions aside"];
  return [name, "not yet", more > 0 ? `forecast after ${count(more, "more answer")}` : models.at ? "with the next training" : "after the first training"];
}
