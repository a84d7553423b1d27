// A text in a few marks of Markdown as elements: headings, lists, bold, italics, code, links. Markup in it stays text.
import { h } from "./dom.js";

const HEADING = /^(#{1,3})\s+(.+)$/;
const ITEM = /^\s*(?:([-*])|\d+[.)])\s+(.+)$/;
const INLINE = /\*\*(.+?)\*\*|\*(.+?)\*|`(.+?)`|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g;

/** The elements of a text. */
export function marked(text) {
  const blocks = [];
  let level = 1; // of the last heading: none is left out
  let lines = []; // of the paragraph so far
  const end = () => {
    if (lines.length) blocks.push(h("p", {}, inline(lines.join(" "))));
    lines = [];
  };
  for (const line of text.split(/\r?\n/)) {
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (heading) {
      end();
      level = Math.min(heading[1].length + 1, level + 1);
      blocks.push(h(`h${level}`, {}, inline(heading[2])));
    } else if (item) {
      end();
      const tag = item[1] ? "ul" : "ol";
      if (blocks.at(-1)?.localName !== tag) blocks.push(h(tag, {}));
      blocks.at(-1).append(h("li", {}, inline(item[2])));
    } else if (line.trim()) {
      lines.push(line.trim());
    } else end();
  }
  end();
  return blocks;
}

/** Bold, italics, code and links of a line as nodes. */
function inline(text) {
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, bold, italic, code, words, address] = found;
    nodes.push(text.slice(at, found.index));
    if (bold) nodes.push(h("strong", {}, bold));
    else if (italic) nodes.push(h("em", {}, italic));
    else if (code) nodes.push(h("code", {}, code));
    else nodes.push(h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, words));
    at = found.index + whole.length;
  }
  return [...nodes, text.slice(at)];
}
