// A button whose press cannot be undone: the first one asks, the second one acts.

import { h, setText } from "./dom.js";

/** `label` and `question` are its words before and after the first press; without the focus it forgets that one. */
export function confirmed(label, question, act) {
  const reset = () => setText(button, label);
  const button = h("button", { type: "button", onblur: reset }, label);
  button.addEventListener("click", () => {
    if (button.textContent === label) return setText(button, question);
    reset();
    act();
  });
  return button;
}
