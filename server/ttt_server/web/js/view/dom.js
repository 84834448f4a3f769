// DOM elements. Text of other users stays text: nothing here parses markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an HTML element. Attributes: a function is a listener ("onclick"), true gives an empty
 * attribute, false and null give none. Children: nodes or text; null gives none.
 */
export function h(tag, attributes = {}, ...children) {
  return populate(document.createElement(tag), attributes, children);
}

/** Make an SVG element in the same way. */
export function s(tag, attributes = {}, ...children) {
  return populate(document.createElementNS(SVG, tag), attributes, children);
}

function populate(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** Set a text if it differs: a screen reader repeats a live region that is set again. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Make these the children, in this order. A move takes the focus away, so only misplaced ones move. */
export function setChildren(parent, children) {
  for (const child of [...parent.children]) if (!children.includes(child)) child.remove();
  children.forEach((child, place) => {
    if (parent.children[place] !== child) parent.insertBefore(child, parent.children[place] ?? null);
  });
}

export const byId = (id) => document.getElementById(id);
