// Elements. What other people wrote passes through here as text, and nothing makes markup of it.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. Attributes: functions are listeners ("onclick"), true is an empty attribute, false and
 * null are left out. Children: nodes or text; null is left out.
 */
export function h(tag, attributes = {}, ...children) {
  return furnished(document.createElement(tag), attributes, children);
}

/** The same for the elements of a picture. */
export function s(tag, attributes = {}, ...children) {
  return furnished(document.createElementNS(SVG, tag), attributes, children);
}

function furnished(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** Sets text where it differs: a live region says again what is set again. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Makes these the children, in this order. Only what is out of place is moved: moving takes the focus away. */
export function arrange(parent, children) {
  for (const child of [...parent.children]) if (!children.includes(child)) child.remove();
  children.forEach((child, place) => {
    if (parent.children[place] !== child) parent.insertBefore(child, parent.children[place] ?? null);
  });
}

export const byId = (id) => document.getElementById(id);
