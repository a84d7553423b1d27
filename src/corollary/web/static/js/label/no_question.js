// The page without a question: the reason, and the ways out.
import { h, put } from "../shared/dom.js";
import { sign } from "../shared/signs.js";
import { capital, count, leadOf, list, number, when, labelsOfItems } from "../shared/words.js";

const PATIENCE_MS = 300;

/** Show in `body` why there is no question. */
export function stateOf(body, context) {
  const state = which(context);
  const what = JSON.stringify([state.name, state.title, state.text]);
  if (body.dataset.state === what) return; // nothing new to say, nothing to take the focus for
  body.dataset.state = what;
  if (state.name === "loading") return loading(body);
  document.title = state.title;
  const focus = body.contains(document.activeElement) || document.activeElement === document.body;
  const title = h("h1", { tabindex: "-1" }, state.title);
  put(body, h("article", { class: "sheet state" }, state.sign && sign(state.sign, { kind: `${state.sign} sign-large` }), title,
    state.text.map((text) => h("p", {}, text)), state.buttons?.length ? h("div", { class: "row" }, state.buttons) : null));
  if (focus) title.focus({ preventScroll: true });
}

function which(context) {
  const { supply, outbox, me, bar } = context;
  const lead = leadOf(me);
  const { counts } = bar;
  const history = () => button("Go through your answers", () => context.go("history"));
  if (!context.tab.here) return elsewhere(context);
  if (supply.error?.status === 401) return signedOut(context);
  if (supply.error && !supply.questions.length) return unreachable(context);
  if (supply.returned && !supply.left) {
    const n = Math.max(supply.skips, 1);
    return { name: "skipped", title: `${number(n)} you skipped`, text: [`Everything else is settled. Take ${n === 1 ? "it" : "them"} now, or leave ${n === 1 ? "it" : "them"} to ${lead}.`],
      buttons: [button("Answer them now", () => context.takeSkipped(), "main"), button(`Leave them to ${lead}`, () => context.leaveSkipped())] };
  }
  if (supply.left) return { name: "left", title: "Nothing for you right now", text: ["Other people get the questions that you skipped. Thank you."], buttons: [button("Answer them after all", () => context.takeSkipped()), history()] };
  switch (supply.state) {
    case "empty":
      return me.role === "lead"
        ? { name: "empty", title: "Nothing to label yet", text: ["Add items and an ontology. Both are checked before anyone is asked a question."], buttons: [button("Add items", () => context.go("ontology"), "main"), button("Add an ontology", () => context.go("ontology"))] }
        : { name: "empty", title: "No questions yet", text: [`${capital(lead)} is still setting this up. This page shows the first question as soon as there is one.`] };
    case "paused":
      return { name: "paused", title: "Paused", text: [`${capital(lead)} paused the questions${me.paused_since ? ` ${atTime(me.paused_since)}` : ""}. ${stored(outbox)} Questions come back here when it goes on.`] };
    case "finished":
      return { name: "finished", sign: "done", title: me.one ? "Every item is labelled" : "Every label is settled",
        text: [`${count(counts.asked, "question")} ${me.one ? `labelled ${count(counts.done - counts.unasked, "item")}` : `settled ${labelsOfItems(counts.settled - (counts.brought ?? 0))}. ${count(Math.max(counts.saved, 0), "question")} saved`}. Thank you${me.mode === "single" ? "" : `, ${me.name}`}: ${number(me.answers + bar.since)} of the answers are yours.`], buttons: [history()] };
    case "waiting":
      return { name: "waiting", title: "Nothing for you right now", text: [waiting(supply.waiting, lead)], buttons: [history()] };
    default:
      return { name: "loading" };
  }
}

function waiting({ with_others: held, others, free_at: free, held: conflicts }, lead) {
  const parts = [];
  if (held) {
    parts.push(`The last ${count(held, "question")} ${held === 1 ? "is" : "are"} with ${others.length ? list(others) : "others"}.`);
    const minutes = free ? Math.max(1, Math.ceil((new Date(free) - Date.now()) / 60_000)) : null;
    if (minutes) parts.push(`Any they leave come to you within ${count(minutes, "minute")}.`);
  }
  if (conflicts) parts.push(`${count(conflicts, "item")} ${conflicts === 1 ? "waits" : "wait"} until ${lead} decides.`);
  return parts.join(" ") || "The other questions are for other people. This page shows the next one for you as soon as there is one.";
}

/** "at 14:05", "yesterday 16:20". */
const atTime = (iso) => when(iso, { just: false }).replace(/^(?=\d\d:)/, "at ");

const stored = (outbox) => (outbox.waiting ? `${count(outbox.waiting, "answer")} ${outbox.waiting === 1 ? "waits" : "wait"} on this device.` : "Your answers are stored.");

function unreachable({ supply, outbox }) {
  const n = outbox.waiting;
  const kept = n ? `Your ${n === 1 ? "answer is" : `${number(n)} answers are`} safe on this device.` : "All your answers are stored.";
  const retry = button("Try now", () => { outbox.send(); supply.refill(); });
  if (supply.error.status === 0) return { name: "offline", sign: "storing", title: "Offline", text: [`${kept} New questions come when the connection is back.`], buttons: [retry] };
  return { name: "error", title: "No question arrived", text: [`${supply.error.message} ${supply.error.hint} ${kept} This page tries again by itself.`], buttons: [retry] };
}

function elsewhere({ tab }) {
  return { name: "elsewhere", title: "Open in another tab", text: ["You label in another tab of this browser. Only one tab asks, so that no question comes twice."],
    buttons: [button("Continue here", () => tab.take(), "main")] };
}

function signedOut({ me, outbox, signIn }) {
  const n = outbox.waiting;
  const kept = n ? ` ${count(n, "answer")} ${n === 1 ? "waits" : "wait"} on this device and ${n === 1 ? "goes" : "go"} out once you are back.` : "";
  return { name: "signedout", title: "Please sign in again", text: [`${me.mode === "single" ? "This browser is no longer signed in." : "Your invitation has run out."}${kept}`], buttons: [button("Sign in", signIn, "main")] };
}

function button(words, act, kind = "") {
  return h("button", { class: `button ${kind}`, type: "button", onclick: act }, words);
}

/** Still bars, and these only if it takes a moment. */
function loading(body) {
  const bars = h("div", { class: "sheet bars", hidden: true }, h("h1", { class: "unseen", tabindex: "-1" }, "Loading the next question"), [1, 2, 3, 4].map((n) => h("i", { class: `b${n}` })));
  put(body, bars);
  setTimeout(() => { bars.hidden = false; }, PATIENCE_MS);
}
