// Pages about oneself: keys and how to change them, theme, signing in and out.
import { post } from "./api.js";
import { h, put } from "./dom.js";
import * as keys from "./keys.js";
import { themeChoice } from "./theme.js";
import { count, shownName } from "./words.js";

/** Name, theme, signing out. */
export function showYou(main, context) {
  const { me, bar } = context;
  const end = keys.layer({ close: () => context.go(""), keys: () => context.go("keys") });
  const out = async () => {
    await context.supply.release(context.supply.questions);
    await post("logout").catch(() => {});
    location.reload();
  };
  put(main, h("article", { class: "sheet page" }, h("h1", { tabindex: "-1" }, shownName(me)),
    h("p", { class: "intro" }, `${me.role === "lead" ? "You lead" : me.role === "reader" ? "You read" : "You label in"} “${me.campaign}”. ${count(me.answers + bar.since, "answer")} of yours ${me.answers + bar.since === 1 ? "counts" : "count"}.`),
    me.about ? h("p", { class: "intro" }, me.about) : null,
    themeChoice(), keySwitch(),
    h("nav", { class: "row", "aria-label": "More" },
      h("a", { class: "button", href: "#/history" }, "Your answers"), h("a", { class: "button", href: "#/keys" }, "Keys"),
      me.guidelines ? h("a", { class: "button", href: "#/guidelines" }, "Guidelines") : null,
      me.role === "lead" ? h("a", { class: "button", href: "#/progress" }, "Progress") : null,
      h("button", { class: "button", type: "button", onclick: out }, "Sign out"))));
  return end;
}

function keySwitch(after = () => {}) {
  return h("label", { class: "choice" }, h("input", { type: "checkbox", checked: keys.areOn(), onchange: (event) => {
    keys.change({ off: !event.target.checked });
    after();
  } }), "Answer with single keys");
}

/** The list of keys, and the way to change them. */
export function showKeys(main, context) {
  let changing = false;
  const list = h("div", {});
  const status = h("p", { class: "note", role: "status" });

  function draw() {
    put(list,
      h("dl", { class: changing ? "key-list changing" : "key-list" }, Object.entries(keys.ACTIONS).map(([action, { words }]) =>
        h("div", {}, h("dt", {}, keys.keysOf(action).map((key) => keys.cap(key)), keys.keysOf(action).length ? null : "none"),
          h("dd", {}, words, changing && action !== "close" ? h("button", { class: "button small", type: "button", "aria-label": `Change the key for ${words}`, onclick: (event) => listen(action, words, event.target) }, "Change") : null))),
      h("div", {}, h("dt", {}, keys.cap("1"), "to", keys.cap("0")), h("dd", {}, "Options, ways out"))));
    context.bar.show("keys");
  }

  function listen(action, words, button) {
    put(button, "Press a key");
    const taken = (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      removeEventListener("keydown", taken, true);
      const key = keys.nameOfKey(event);
      if (key && key !== "Esc") keys.setKeys(action, [key]);
      put(status, key && key !== "Esc" ? `${words} is on ${key} now.` : "Nothing changed.");
      draw();
      list.querySelector(`[aria-label="Change the key for ${words}"]`)?.focus();
    };
    addEventListener("keydown", taken, true);
  }

  const change = h("button", { class: "button", type: "button", onclick: () => {
    changing = !changing;
    put(change, changing ? "Done" : "Change keys");
    draw();
  } }, "Change keys");
  const reset = h("button", { class: "button", type: "button", onclick: () => { keys.change(null); draw(); put(status, "All keys are reset."); } }, "Reset");
  const end = keys.layer({ close: () => context.go(""), keys: () => context.go(""), history: () => context.go("history") });
  put(main, h("article", { class: "sheet page" }, h("h1", { tabindex: "-1" }, "Keys"), list, keySwitch(draw), status,
    h("div", { class: "row" }, change, reset, h("a", { class: "button", href: "#/" }, "Back to the question"))));
  draw();
  return end;
}

/** Signing in with a password or the token of an invitation; on one's own with the link that the terminal printed. */
export function showSignIn(main, { done, single = false, waiting = 0 }) {
  const field = (id, words, type, autocomplete, required = false) => h("div", { class: "field" }, h("label", { for: id }, words), h("input", { id, type, autocomplete, required }));
  const status = h("p", { class: "wrong", role: "alert" });
  const value = (id) => form.querySelector(`#${id}`).value.trim();
  const form = h("form", { class: "sign-in", onsubmit: async (event) => {
    event.preventDefault();
    const token = value("token").split("/").at(-1);
    try {
      await post("login", token || single ? { token } : { name: value("name"), password: form.querySelector("#password").value });
      done();
    } catch (error) {
      put(status, `${error.message} ${error.hint}`);
    }
  } },
  single ? null : [field("name", "Name", "text", "username"), field("password", "Password", "password", "current-password"), h("p", { class: "note" }, "or")],
  field("token", single ? "The link from the terminal" : "Invite link", "text", "off", single), status, h("button", { class: "button main", type: "submit" }, "Sign in"));
  document.title = "Sign in";
  put(main, h("article", { class: "sheet page" }, h("h1", { tabindex: "-1" }, "Please sign in"),
    h("p", { class: "intro" }, single
      ? "Open the link that the terminal printed when the server started, or paste it here. A link works once: start the server again for a new one."
      : "Open the invite link that you were given, or sign in here.",
      waiting ? ` ${count(waiting, "answer")} ${waiting === 1 ? "waits" : "wait"} on this device and ${waiting === 1 ? "goes" : "go"} out once you are back.` : ""), form));
}
