// Labels as files, with where each comes from; and more items from files.
import { ApiError } from "../shared/api.js";
import { h, put } from "../shared/dom.js";
import { count } from "../shared/words.js";
import { page, section, statusLine } from "./sheet.js";

const FORMATS = [
  ["csv-items", "CSV, one line an item", "Id, text and fields, and the narrowest labels with their source and probability. For people and spreadsheets."],
  ["csv-long", "CSV, one line a label", "Item, label and value, with its source: the person, answers and rules. A large file, for scripts."],
  ["csv-wide", "CSV, columns for each label", "One line an item. Each label has three columns: value, source and probability."],
  ["csv-answers", "CSV, one line an answer", "Each answer with its person, time, kind of question, and seconds."],
  ["jsonl", "JSON lines", "One object an item, with answers, reasons and probabilities. For programs."],
  ["parquet-items", "Parquet, one row an item", "The same as the first, typed. For pandas, Polars, DuckDB."],
  ["parquet", "Parquet, one row a label", "The same as the second, small and typed."],
];

/** The view. */
export function show(main, context) {
  const status = statusLine();
  const lead = context.me.role === "lead";
  page(main, "Export", { wide: false, beside: "each value shows whether it was asked, implied or predicted" }, status.line,
    section("formats", "Labels", { note: lead ? "with the names of people" : "without the names of people" }, h("ul", { class: "formats" }, FORMATS.map(([format, title, about]) =>
      h("li", {}, h("b", {}, title), h("p", { class: "note" }, about),
        h("a", { class: "button", href: `api/export?format=${format}&safe=true`, download: "", "aria-label": `Download as ${title}`, onclick: () => status.say("Preparing the file. Large campaigns take a moment.") }, "Download"))))),
    lead && section("import", "Add items", { note: "CSV, TSV, JSON lines, Parquet, or a zip of pictures" }, importForm(status)));
  return null;
}

function importForm(status) {
  const file = h("input", { type: "file", id: "items-file", accept: ".csv,.tsv,.jsonl,.parquet,.zip", required: true });
  const text = h("input", { type: "text", id: "text-column", autocomplete: "off", placeholder: "found by its name" });
  const send = h("button", { class: "button" }, "Add items");
  return h("form", { onsubmit: async (event) => {
    event.preventDefault();
    const [chosen] = file.files;
    if (!chosen) return;
    send.setAttribute("aria-disabled", "true");
    status.say(`Checking ${chosen.name}.`);
    try {
      const { items, facts, notes } = await upload(chosen, text.value.trim());
      status.say([`Added ${count(items, "item")}${facts ? ` and ${count(facts, "known label")}` : ""}`, ...notes].join("; "), ".");
      put(file);
      file.value = "";
    } catch (error) {
      status.fail(error);
    } finally {
      send.removeAttribute("aria-disabled");
    }
  } }, h("p", {}, "The whole file is checked first. With one mistake nothing is added. Columns: ", h("b", {}, "id"), " and ", h("b", {}, "text"), "; other columns become fields of the item. A column named like a label holds known values."),
  h("div", { class: "field" }, h("label", { for: file.id }, "File"), file),
  h("div", { class: "field" }, h("label", { for: text.id }, "Column with the text, if it has another name"), text), h("p", {}, send));
}

/** Send a file as it is. */
async function upload(file, text) {
  let response;
  try {
    response = await fetch(`api/items?${new URLSearchParams({ name: file.name, ...(text && { text }) })}`, { method: "POST", headers: { Accept: "application/json", "Content-Type": "application/octet-stream", "X-Corollary": "1" }, body: file, credentials: "same-origin" });
  } catch {
    throw new ApiError(0);
  }
  const reply = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(response.status, reply?.error);
  return reply;
}
