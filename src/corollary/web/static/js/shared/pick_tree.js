// All options of a pick where they belong. Of very many, each branch comes from the server when it is opened.
import { h, put } from "./dom.js";
import { number } from "./words.js";

/** Draw the tree in its place; `button(label)` makes what picks a label. */
export async function drawTree(options, button, place) {
  if (options.complete) put(place, atHand(options, button));
  else await branch(options, button, "", place);
}

function atHand({ onto, labels, likeliest }, button) {
  const ends = new Set(likeliest);
  const list = (some) => h("ul", {}, some.map((label) => {
    const under = onto.children(label).filter((child) => labels.has(child));
    return h("li", {}, ends.has(label) ? button(label) : h("span", { class: "heading" }, onto.name(label)), under.length ? list(under) : null);
  }));
  return list(onto.labels.filter((label) => labels.has(label) && !onto.parents(label).some((up) => labels.has(up))));
}

/** The labels right under a label, put in their places a part at a time. */
async function branch(options, button, label, place) {
  const list = h("ul", {});
  const more = h("button", { class: "button small", type: "button", hidden: true, onclick: () => fill(list.children.length) });
  const said = h("p", { class: "note", role: "status" });
  put(place, list, more, said);

  async function fill(offset) {
    const slow = setTimeout(() => put(said, "Loading."), 400);
    try {
      const reply = await options.under(label, offset);
      const [ends, wider] = [new Set(reply.ends), new Set(reply.wider)];
      list.append(...reply.options.map((one) => h("li", {}, wider.has(one) ? folded(one, ends.has(one)) : button(one))));
      const left = reply.total - list.children.length;
      more.hidden = left <= 0;
      put(more, `Show more of ${number(left)}`);
      put(said);
      if (reply.total === 1) list.querySelector("details")?.setAttribute("open", "");
    } catch (error) {
      put(said, `The labels did not load. ${error.message} `, h("button", { class: "link", type: "button", onclick: () => fill(offset) }, "Try again"));
    } finally {
      clearTimeout(slow);
    }
  }

  const folded = (one, canEnd) => {
    const inside = h("div", {});
    return h("details", { ontoggle: ({ currentTarget }) => currentTarget.open && !inside.firstChild && branch(options, button, one, inside) },
      h("summary", {}, options.name(one)), canEnd ? button(one) : null, inside);
  };
  await fill(0);
}
