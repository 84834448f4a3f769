// The panels shown in place of a room that is not entered.

import { lobbyPage } from "../net/address.js";
import { recallName, rememberName } from "../net/token_store.js";
import { h } from "./dom.js";
import { RoomForm } from "./room_form.js";

/**
 * The panel for a reason `why`, see `Session`. `actions` has `create(joinFields)`,
 * `unlock(password)`, `take(seat)` and `again()`.
 */
export function panelFor(why, words, room, actions) {
  switch (why) {
    case "none":
      return noSuchRoom(words, room, actions);
    case "locked":
      return locked(words, actions);
    case "closed":
      return panel(
        "Players only",
        "This room has no spectators.",
        nameField(),
        ...["X", "O"].map((seat) => press(`Take seat ${seat}`, () => actions.take(seat))),
      );
    case "elsewhere":
      return panel(
        "Played from another window",
        "Another window has your seat now.",
        press("Play here", actions.again),
      );
    default:
      return panel(
        "Not let in",
        words || "The server ended the connection.",
        press("Try again", actions.again),
      );
  }
}

function noSuchRoom(words, room, { create }) {
  const form = new RoomForm(room, ({ joinFields }) => create(joinFields));
  form.refuse(words);
  return panel("This room is free", "Make it yours, then send the link to a friend.", form.element);
}

function locked(words, { unlock }) {
  const input = h("input", {
    type: "password",
    required: true,
    maxlength: "128",
    autocomplete: "current-password",
  });
  const submit = (event) => {
    event.preventDefault();
    unlock(input.value);
  };
  const form = h(
    "form",
    { class: "room-form", onsubmit: submit },
    h("label", { class: "field" }, h("span", {}, "Password"), input),
    words ? h("p", { class: "trouble", role: "alert" }, words) : null,
    h("button", { type: "submit", class: "main" }, "Enter"),
  );
  return panel("This room is locked", "Ask the sender of the link for the password.", form);
}

/** The field for the user's name; `renamed()` is called after a change. */
export function nameField(renamed = () => {}) {
  const input = h("input", {
    maxlength: "24",
    autocomplete: "nickname",
    placeholder: "guest",
    value: recallName(),
    onchange: () => {
      rememberName(input.value);
      renamed();
    },
  });
  return h("label", { class: "field" }, h("span", {}, "Your name"), input);
}

const press = (words, onclick) => h("button", { type: "button", class: "main", onclick }, words);

function panel(title, words, ...children) {
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, title),
    h("p", {}, words),
    ...children,
    h("p", {}, h("a", { href: lobbyPage() }, "All rooms")),
  );
}
