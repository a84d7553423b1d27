// People: invite links that are shown once, roles, pauses and removal.
import { call, get, post } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { number } from "../shared/words.js";
import { page, scroller, section, seconds, share, statusLine } from "./sheet.js";
import { stateOf, witnessTable } from "./tables.js";

const ROLES = { annotator: "annotator", lead: "lead", reader: "reader, sees progress and export" };

const WIDE = 0.1; // an interval that says little more than what everyone starts with

/** The view. */
export async function show(main, context) {
  const status = statusLine();
  const link = h("div", {});
  const list = h("div", {});
  const about = h("p", { class: "note", hidden: true }, "Right on yes: the share of true labels that the person answers with yes. Right on no: the share of false labels that the person answers with no. Both are estimates with a 90 % interval, from second opinions, clashes, gold questions and the model. Everyone starts at 85 %. “Too few” means that the interval is wider than 10 points.");
  const machines = h("div", {});
  const name = h("input", { type: "text", id: "invite-name", required: true, maxlength: "200", autocomplete: "off" });
  const role = h("select", { id: "invite-role" }, Object.entries(ROLES).map(([value, words]) => h("option", { value }, words)));
  const form = h("form", { class: "filters", "aria-label": "Invite", onsubmit: invite },
    h("div", { class: "field" }, h("label", { for: name.id }, "Name"), name), h("div", { class: "field" }, h("label", { for: role.id }, "May"), role),
    h("button", { class: "button main" }, "Invite"));

  async function invite(event) {
    event.preventDefault();
    if (!name.value.trim()) return;
    try {
      const reply = await post("people", { name: name.value.trim(), role: role.value });
      showLink(reply);
      name.value = "";
      await read();
    } catch (error) {
      status.fail(error);
    }
  }

  /** An invite link, this once: only its hash is kept. */
  function showLink({ name: whose, link: path }) {
    const address = h("input", { type: "text", id: "link", readonly: true, value: new URL(path, document.baseURI.split("#")[0]).href });
    const copy = h("button", { class: "button", type: "button", onclick: async () => {
      address.select();
      try {
        await navigator.clipboard.writeText(address.value);
        status.say("Copied.");
      } catch {
        status.say("Selected: copy it with Ctrl C.");
      }
    } }, "Copy");
    put(link, h("section", { class: "invite-link", "aria-label": `Link for ${whose}` },
      h("p", {}, h("b", {}, `Send this link to ${whose}.`), " It is shown only now. It works once, within a week. A new link replaces it."),
      h("div", { class: "field" }, h("label", { for: "link" }, `Link for ${whose}`), address), copy,
      h("button", { class: "button plain", type: "button", onclick: () => { put(link); name.focus(); } }, "Done")));
    address.focus();
    address.select();
  }

  let trusted = null; // how far people can be trusted, by name, where they can be wrong

  async function read() {
    const [people, trust, witnesses] = await Promise.all([get("people"), get("trust"), get("witnesses")]);
    put(machines, witnesses.length ? witnessTable(witnesses) : h("p", { class: "quiet" }, "None yet. The command ", h("code", {}, "corollary witness add"), " adds the predictions of a model."));
    trusted = trust.fallible ? new Map(trust.people.map((one) => [one.name, one])) : null;
    const heads = [["Name", "start"], ["State", "start"], ["May", "start"], ["Answers"], ["Median time"], ["Yes"], ["Gold"], ...(trusted ? [["Right on yes"], ["Right on no"], ["Probably wrong"]] : []), ["Holds"]];
    about.hidden = !trusted;
    put(list, scroller("Table of people", h("table", { class: "people-list" },
      h("thead", {}, h("tr", {}, heads.map(([words, kind]) => h("th", { scope: "col", class: kind }, words)), h("td", {}))), h("tbody", {}, people.map(row)))));
  }

  function row(one) {
    const gone = one.state === "revoked";
    const gold = one.gold_right + one.gold_wrong;
    return h("tr", { class: gone ? "gone" : null }, h("th", { scope: "row" }, one.name), h("td", { class: "start" }, stateOf(one)), h("td", { class: "start" }, gone ? one.role : roleChoice(one)),
      h("td", {}, number(one.answers)), h("td", {}, one.seconds === null ? "" : seconds(one.seconds)), h("td", {}, one.yes + one.no ? share(one.yes / (one.yes + one.no), 0) : ""),
      h("td", {}, gold ? `${number(one.gold_right)} of ${number(gold)}` : ""), trusted ? trustCells(trusted.get(one.name)) : null, h("td", {}, number(one.holds)), h("td", {}, actions(one, gone)));
  }

  function roleChoice(one) {
    const choice = h("select", { "aria-label": `What ${one.name} may do` }, Object.keys(ROLES).map((value) => h("option", { value, selected: value === one.role }, value)));
    choice.addEventListener("change", () => change(one, { role: choice.value }, `${one.name} is ${choice.value === "annotator" ? "an annotator" : `a ${choice.value}`} now, with a new link.`, () => { choice.value = one.role; }));
    return h("span", { class: "actions" }, choice);
  }

  function actions(one, gone) {
    const button = (words, about, act) => h("button", { class: "button small", type: "button", "aria-label": about, onclick: act }, words);
    if (gone) return h("span", { class: "actions" }, button("Invite again", `Invite ${one.name} again`, () => change(one, { renew: true }, `${one.name} takes part again.`)));
    const place = h("span", { class: "actions" });
    const usual = () => put(place,
      button(one.paused ? "Go on" : "Pause", `${one.paused ? "Go on asking" : "Pause"} ${one.name}`, () => change(one, { paused: !one.paused }, one.paused ? `${one.name} gets questions again.` : `${one.name} gets no questions for now.`)),
      button("New link", `New link for ${one.name}`, () => change(one, { renew: true }, `The earlier link of ${one.name} no longer works.`)),
      one.name === context.me.name ? null : button("Revoke", `Revoke ${one.name}`, sure));
    const sure = () => {
      put(place, h("span", {}, `${one.name} no longer takes part?`), button("Revoke", `Yes, revoke ${one.name}`, () => change(one, { revoked: true }, `${one.name} no longer takes part. Their answers still count.`)), button("Keep", `Keep ${one.name}`, () => { usual(); place.lastChild.focus(); }));
      place.querySelector("button").focus();
    };
    usual();
    return place;
  }

  async function change(one, what, words, undo = () => {}) {
    try {
      const reply = await call("PATCH", `people/${encodeURIComponent(one.name)}`, what);
      await read();
      status.say(words);
      if (reply.link) showLink(reply);
      else main.querySelector("h1").focus();
    } catch (error) {
      undo();
      status.fail(error);
    }
  }

  page(main, "People", { beside: "by name" }, status.line, section("invite", "Invite someone", { note: "by a link that signs them in" }, form, link), section("people", "Who takes part", {}, list, about), section("machines", "Machines", { note: "reports are weighed by estimated reliability; they are never facts" }, machines));
  await read();
  return null;
}

/** How often someone is right, with intervals, and how many of their answers are probably wrong. */
function trustCells(one) {
  if (!one) return [1, 2, 3].map(() => h("td", { class: "quiet" }, "no answers"));
  const whole = (x) => (100 * x).toFixed(0);
  const right = (value, [low, high]) => (high - low > WIDE ? h("td", { class: "quiet" }, "too few") : h("td", {}, share(value, 0), h("span", { class: "quiet" }, ` (${whole(low)} to ${whole(high)})`)));
  return [right(one.right_if_yes, one.right_if_yes_interval), right(one.right_if_no, one.right_if_no_interval), h("td", {}, `${one.wrong.toFixed(1)} of ${number(one.answers)}`)];
}
