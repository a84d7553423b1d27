// Starts the page: who is here, what the campaign is about, and which view to show.
import * as api from "./shared/api.js";
import { Bar, LEADS_VIEWS } from "./shared/bar.js";
import { h, put } from "./shared/dom.js";
import { showGuidelines } from "./label/guidelines.js";
import { showHistory } from "./label/history.js";
import { LabelView } from "./label/label.js";
import { Notices } from "./shared/notices.js";
import { keepFiles, waitingHere } from "./offline/reload.js";
import { Ontology, loadOntology } from "./shared/ontology.js";
import { Past } from "./label/undo.js";
import { Outbox } from "./offline/outbox.js";
import { sign } from "./shared/signs.js";
import { Supply } from "./offline/questions_at_hand.js";
import { Tab } from "./offline/one_tab.js";
import { count } from "./shared/words.js";
import { showKeys, showSignIn, showYou } from "./shared/you.js";

const main = document.getElementById("main");
const RETRY_MS = 3000;
const GONE = [0, 502, 503, 504];
const ASKING = ["", "history"]; // views that one answers in
const FOLDERS = { items: "items", settings: "settings" }; // views of the lead that have a folder of their own
let leave = null;
let context = null;
let retry = null;
let starting = false;
let shows = 0;

const go = (route) => { location.hash = `#/${route}`; };
const routeOf = () => (location.hash.startsWith("#/") ? location.hash.slice(2) : null);

async function start() {
  if (starting) return null;
  starting = true;
  let me;
  try {
    me = await api.get("me");
  } catch (error) {
    return error.status === 401 ? signIn({ single: error.code === "link_needed" }) : cannotStart(error);
  } finally {
    starting = false;
  }
  const answers = me.role !== "reader";
  const tab = new Tab(me.name);
  const outbox = new Outbox(me.name, tab);
  const supply = new Supply(outbox, me.name, tab);
  const bar = new Bar(document.getElementById("bar"), me, outbox);
  const past = new Past(me.name);
  const notices = new Notices(document.getElementById("notices"), outbox, supply);
  context = { me, api, tab, outbox, supply, bar, past, notices, go, onto: new Ontology(), signIn, takeSkipped, leaveSkipped };
  context.label = new LabelView(context);
  if (me.trouble) notices.failed(`This campaign is read only: ${me.trouble}.`);
  tab.addEventListener("taken", readPast);
  tab.wanted = answers && ASKING.includes(routeOf() ?? "");
  if (tab.wanted || (answers && tab.free)) tab.take();
  const ready = Promise.all([readOntology(), supply.refill()]);
  addEventListener("hashchange", show);
  outbox.addEventListener("signedout", () => supply.refused(outbox.error));
  if (answers) supply.keep(me.lease_seconds);
  supply.addEventListener("change", renewOntology);
  supply.addEventListener("change", readPause);
  await Promise.race([ready, new Promise((done) => setTimeout(done, 300))]);
  if (!shows) show(); // who went elsewhere meanwhile may have begun there: drawn again, a form would be empty
  await ready;
  keepFiles(me);
  outbox.send();
  return show(null, { again: true });
}

async function readOntology() {
  try {
    context.onto = await loadOntology();
  } catch {
    setTimeout(readOntology, RETRY_MS); // questions can be answered without it, with fewer words
  }
}

/** Load earlier answers, also of other tabs, so that Undo knows them. */
async function readPast() {
  const { past, outbox, label } = context;
  past.keep(outbox.acts.map((act) => act.key));
  await past.read().catch(() => {});
  label.drawUndo();
}

/** The questions are paused: since when? */
async function readPause() {
  const paused = context.supply.state === "paused";
  if (paused === context.paused) return;
  context.paused = paused;
  if (!paused) return;
  context.me = { ...context.me, ...(await api.get("me").catch(() => null)) };
  show(null, { again: true });
}

/** A label that is not known here: the lead changed the ontology. */
function renewOntology() {
  const label = context.supply.current?.label;
  if (!label || !context.onto.labels.length || context.onto.about.has(label) || context.renewing === label) return;
  context.renewing = label;
  readOntology().then(() => show(null, { again: true }));
}

/** Show the view that the address names. */
async function show(event, { again = false } = {}) {
  const route = routeOf() ?? (event ? null : "");
  if (route === null) return; // a link inside the page
  if (again && route !== "") return;
  if (context.me.role === "reader" && (route === "" || route === "history")) return go("progress");
  leave?.();
  leave = null;
  const turn = (shows += 1);
  const asks = ASKING.includes(route) && context.me.role !== "reader";
  if (asks && !context.tab.wanted) context.tab.take();
  context.tab.wanted = asks;
  const [name] = route.split(/[/?]/);
  context.bar.show(name);
  const views = { "": () => context.label.show(main), history: () => showHistory(main, context), keys: () => showKeys(main, context), guidelines: () => showGuidelines(main, context), you: () => showYou(main, context) };
  const end = LEADS_VIEWS.includes(name) ? await showLeads(name, route, placeOf(turn)) : (views[name] ?? views[""])();
  if (turn !== shows) return end?.(); // another view was asked for while this one came
  leave = end;
  if (event) focusHeading();
}

/** Begin to read at the top, unless someone has begun elsewhere in the view while it came. */
function focusHeading() {
  const heading = main.querySelector("h1");
  if (heading && routeOf()) document.title = heading.textContent;
  if (main !== document.activeElement && main.contains(document.activeElement)) return;
  (heading ?? main).focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** Where a view draws: it is seen from its first drawing on, and never if another was asked for meanwhile. */
function placeOf(turn) {
  const place = h("div", { class: "view" });
  place.replaceChildren = (...drawn) => {
    Element.prototype.replaceChildren.apply(place, drawn);
    if (turn === shows && !place.isConnected) put(main, place);
  };
  return place;
}

/** The lead's views come when they are asked for. */
async function showLeads(name, route, place) {
  try {
    const view = await import(`./${FOLDERS[name] ?? "lead"}/${name}.js`);
    return (await view.show(place, context, route)) ?? null;
  } catch (error) {
    put(place, h("article", { class: "sheet page" }, h("h1", { tabindex: "-1" }, "This view did not load"), h("p", {}, `${error.message} ${error.hint ?? ""}`)));
    return null;
  }
}

function signIn({ single = context?.me.mode === "single" } = {}) {
  leave?.();
  leave = null;
  if (!context) bareBar();
  showSignIn(main, { single, waiting: context?.outbox.waiting, done: () => location.reload() });
  main.querySelector("h1").focus();
}

function bareBar() {
  put(document.getElementById("bar"), h("div", { class: "bar-row" }, h("span", { class: "home" }, sign("logic"), h("b", {}, "Corollary"))));
}

/** The server cannot be reached, or not yet; drawn once, so that trying again disturbs nobody. */
function cannotStart(error) {
  const n = waitingHere();
  const why = GONE.includes(error.status) ? "The server cannot be reached." : `${error.message} ${error.hint}`;
  const kept = n ? ` ${count(n, "answer")} ${n === 1 ? "waits on this device and goes out by itself" : "wait on this device and go out by themselves"}.` : "";
  const text = `${why}${kept} This page tries again by itself.`;
  clearTimeout(retry);
  retry = setTimeout(start, RETRY_MS);
  if (main.textContent.includes(text)) return;
  bareBar();
  document.title = "Not connected";
  put(main, h("article", { class: "sheet state" }, sign("storing", { kind: "storing sign-large" }), h("h1", { tabindex: "-1" }, "Not connected"), h("p", { role: "status" }, text),
    h("div", { class: "row" }, h("button", { class: "button", type: "button", onclick: start }, "Try now"))));
}

function takeSkipped() {
  context.supply.goOn();
  context.supply.left = false;
  context.supply.refill();
}

function leaveSkipped() {
  context.supply.left = true;
  context.supply.release(context.supply.questions);
  context.supply.dispatchEvent(new Event("change"));
}

start();
