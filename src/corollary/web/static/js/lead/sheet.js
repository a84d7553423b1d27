// The parts of all views of the lead: page, sections, figures and states.
import { h, put } from "../shared/dom.js";
import { number } from "../shared/words.js";

/** A page: its title, a line beside it, buttons on the right, then its parts. */
export function page(main, title, { beside = null, buttons = [], wide = true } = {}, ...parts) {
  const line = h("p", { class: "beside" }, beside);
  const place = h("article", { class: wide ? "lead-page" : "lead-page narrow" },
    h("header", { class: "lead-head" }, h("h1", { tabindex: "-1" }, title), line, h("div", { class: "row" }, buttons)), ...parts);
  put(main, place);
  document.title = title;
  return { place, beside: line };
}

/** A section: a heading over an ink rule, a note beside it, a link or a button at its end. */
export function section(name, title, { note = null, end = null, level = "h2" } = {}, ...parts) {
  const id = `lead-${name}`;
  return h("section", { class: `lead-section ${name}`, "aria-labelledby": id },
    h("div", { class: "lead-title" }, h(level, { id }, title), note && h("p", { class: "note" }, note), end && h("div", { class: "end" }, end)),
    ...parts);
}

/** A wide table scrolls in a region of its own, which can have focus only if it must. */
export function scroller(name, table) {
  const region = h("div", { class: "scroller", role: "region", "aria-label": name }, table);
  const fit = () => {
    if (region.scrollWidth > region.clientWidth + 1) region.setAttribute("tabindex", "0");
    else region.removeAttribute("tabindex");
  };
  const watching = new ResizeObserver(fit);
  [region, table].forEach((one) => watching.observe(one));
  return region;
}

/**
 * Put new content into an element. What looks the same stays where it is, so that a click that began on it does not get
 * lost; what had focus and is new has it again, by its data-key.
 */
export function redraw(element, ...children) {
  const key = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  become(element, [...h("div", {}, ...children).childNodes]);
  if (key && !element.contains(document.activeElement)) {
    [...element.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key)?.focus({ preventScroll: true });
  }
  return element;
}

/** Give an element these children; one that differs only further down is kept, and changed there. */
function become(element, children) {
  children.forEach((now, n) => {
    const was = element.childNodes[n];
    if (!was) element.append(now);
    else if (was.nodeType === Node.ELEMENT_NODE && was.cloneNode(false).isEqualNode(now.cloneNode(false))) become(was, [...now.childNodes]);
    else if (!was.isEqualNode(now)) was.replaceWith(now);
  });
  while (element.childNodes.length > children.length) element.lastChild.remove();
}

/** A line that says what happened, also to screen readers. */
export function statusLine() {
  const line = h("p", { class: "lead-status", role: "status" });
  return {
    line,
    say(...words) {
      line.className = "lead-status";
      put(line, ...words);
    },
    fail(error) {
      line.className = "lead-status failed";
      put(line, h("b", { "aria-hidden": "true" }, "! "), `${error.message} ${error.hint ?? ""}`.trim());
    },
  };
}

/** "97.0 %", rounded down where it is nearly all, so that 100.0 % means all. */
export function share(part, digits = 1) {
  const step = 10 ** digits;
  const percent = part < 1 ? Math.min(Math.round(100 * part * step), 100 * step - 1) / step : 100;
  return `${percent.toFixed(digits)} %`;
}

export const fixed = (x, digits = 2) => (x < 0 ? "−" : "") + Math.abs(x).toFixed(digits);
export const seconds = (x) => (x >= 90 ? `${Math.round(x / 60)} min` : `${x.toFixed(1)} s`);
export const clock = (iso) => new Date(iso).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
export { newKey as key } from "../shared/api.js";

/** "2 min", "3 h", "6 days", from now. */
export function since(iso, now = Date.now()) {
  const minutes = Math.max(0, (now - new Date(iso)) / 60_000);
  if (minutes < 1) return "under a minute";
  if (minutes < 60) return `${Math.round(minutes)} min`;
  if (minutes < 60 * 36) return `${Math.round(minutes / 60)} h`;
  return `${number(Math.round(minutes / 1440))} days`;
}
