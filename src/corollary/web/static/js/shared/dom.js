// Builds elements. Data only ever becomes text or attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element: h("p", {class: "note", onclick: f}, "text", child, [more]). Null and false are left out. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for drawings. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Put new children into an element, instead of those it has. */
export function put(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in PROPERTIES) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...nodes(children));
  return element;
}

const PROPERTIES = { checked: true, value: true, hidden: true };

function nodes(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}
