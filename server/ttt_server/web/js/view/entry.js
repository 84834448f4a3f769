// What is shown in place of a room that we are not in, and what may be done about it.

import { lobbyPage } from "../net/address.js";
import { recallName, rememberName } from "../net/token_store.js";
import { h } from "./dom.js";
import { NewRoom } from "./room_form.js";

/**
 * The panel for one reason, see `Visit`. `does` has `create(wish)`, `unlock(password)`,
 * `take(seat)` and `again()`.
 */
export function panelFor(why, words, room, does) {
  switch (why) {
    case "none":
      return noSuchRoom(words, room, does);
    case "locked":
      return locked(words, does);
    case "closed":
      return panel(
        "Players only",
        "This room has no spectators.",
        named(),
        ...["X", "O"].map((seat) => press(`Take seat ${seat}`, () => does.take(seat))),
      );
    case "elsewhere":
      return panel(
        "Played from another window",
        "Your seat is connected from somewhere else now.",
        press("Play here", does.again),
      );
    default:
      return panel("Not let in", words || "The server ended the connection.", press("Try again", does.again));
  }
}

function noSuchRoom(words, room, { create }) {
  const form = new NewRoom(room, ({ wish }) => create(wish));
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
    { class: "new-room", onsubmit: submit },
    h("label", { class: "field" }, h("span", {}, "Password"), input),
    words ? h("p", { class: "trouble", role: "alert" }, words) : null,
    h("button", { type: "submit", class: "main" }, "Enter"),
  );
  return panel("This room is locked", "Whoever sent you the link knows the password.", form);
}

/** The field for the name that the next seat is taken under; `renamed()` is called after a change. */
export function named(renamed = () => {}) {
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
