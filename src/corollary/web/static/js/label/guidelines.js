// The lead's guidelines, one key away from every question.
import { get } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { layer } from "../shared/keys.js";
import { marked } from "../shared/marked.js";

/** The view: the guidelines kept here at once, and the server's as soon as they come. */
export function showGuidelines(main, context) {
  const text = h("div", { class: "guidelines" });
  const draw = () => put(text, context.me.guidelines ? marked(context.me.guidelines) : h("p", {}, "There are no guidelines yet."));
  draw();
  put(main, h("article", { class: "sheet page" }, h("h1", { tabindex: "-1" }, "Guidelines"), text,
    h("div", { class: "row" }, h("a", { class: "button", href: "#/" }, "Back to the question"))));
  get("me").then(({ guidelines }) => {
    if (guidelines === context.me.guidelines) return;
    context.me.guidelines = guidelines;
    draw();
  }, () => {}); // offline: what was known at the start is there
  return layer({ close: () => context.go(""), guidelines: () => context.go(""), keys: () => context.go("keys"), history: () => context.go("history") });
}
