// Starts the page: who is here, what the campaign is about, and which view to show.
import * as api from "./api.js";
import { Bar, LEADS_VIEWS } from "./bar.js";
import { h, put } from "./dom.js";
import { showHistory } from "./history.js";
import { LabelView } from "./label.js";
import { Notices } from "./notices.js";
import { Ontology, loadOntology } from "./ontology.js";
import { Past } from "./past.js";
import { Outbox } from "./queue.js";
import { sign } from "./signs.js";
import { Supply } from "./supply.js";
import { showKeys, showSignIn, showYou } from "./you.js";

const main = document.getElementById("main");
const RETRY_MS = 3000;
let leave = null;
let context = null;

const go = (route) => { location.hash = `#/${route}`; };
const routeOf = () => (location.hash.startsWith("#/") ? location.hash.slice(2) : null);

async function start() {
  let me;
  try {
    me = await api.get("me");
  } catch (error) {
    return error.status === 401 ? signIn() : cannotStart(error);
  }
  const outbox = new Outbox(me.name);
  const supply = new Supply(outbox, me.name);
  const bar = new Bar(document.getElementById("bar"), me, outbox);
  const past = new Past(me.name);
  const notices = new Notices(document.getElementById("notices"), outbox, supply);
  context = { me, api, outbox, supply, bar, past, notices, go, onto: new Ontology(), signIn, takeSkipped, leaveSkipped };
  context.label = new LabelView(context);
  const answers = me.role !== "reader";
  const ready = Promise.all([readOntology(), answers ? supply.refill() : null]);
  if (answers) past.read().then(() => context.label.drawUndo(), () => {}); // without it Undo knows of this tab only
  addEventListener("hashchange", show);
  outbox.addEventListener("signedout", () => supply.refused(outbox.error));
  if (answers) supply.keep(me.lease_seconds);
  supply.addEventListener("change", renewOntology);
  await Promise.race([ready, new Promise((done) => setTimeout(done, 300))]);
  show();
  await ready;
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
  context.bar.show(route.split("/")[0]);
  const views = { "": () => context.label.show(main), history: () => showHistory(main, context), keys: () => showKeys(main, context), you: () => showYou(main, context) };
  const name = route.split("/")[0];
  if (LEADS_VIEWS.includes(name)) leave = await showLeads(name, route);
  else leave = (views[name] ?? views[""])();
  if (event) focusHeading();
}

function focusHeading() {
  const heading = main.querySelector("h1");
  if (heading && routeOf()) document.title = heading.textContent;
  (heading ?? main).focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** The lead's views come when they are asked for. */
async function showLeads(name, route) {
  try {
    const view = await import(`./lead/${name}.js`);
    return (await view.show(main, context, route)) ?? null;
  } catch (error) {
    put(main, h("article", { class: "sheet page" }, h("h1", { tabindex: "-1" }, "This view did not come"), h("p", {}, `${error.message} ${error.hint ?? ""}`)));
    return null;
  }
}

function signIn() {
  leave?.();
  leave = null;
  if (!context) put(document.getElementById("bar"), h("div", { class: "bar-row" }, h("span", { class: "home" }, sign("logic"), h("b", {}, "Corollary"))));
  showSignIn(main, { waiting: context?.outbox.waiting, done: () => location.reload() });
  main.querySelector("h1").focus();
}

function cannotStart(error) {
  const text = error.status === 0 ? "The server cannot be reached. Trying again by itself." : `${error.message} ${error.hint}`;
  put(main, h("article", { class: "sheet state" }, h("h1", { tabindex: "-1" }, "Not there yet"), h("p", { role: "status" }, text)));
  setTimeout(start, RETRY_MS);
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
