// The panels shown in place of a room that is not entered.

import { t } from "../../model/language.js";
import { refusalWords } from "../../model/words.js";
import { lobbyPage } from "../../net/address.js";
import { h } from "../dom.js";
import { NameField } from "../name_field.js";
import { addPart } from "../page.js";

await addPart("entry");

/**
 * The panel for a reason `why` and a refusal, see `Session`. `actions` has `create(joinFields)`,
 * `unlock(password)`, `take(seat)` and `again()`.
 */
export function panelFor(why, refusal, room, actions) {
  switch (why) {
    case "none":
      return noSuchRoom(refusal, room, actions);
    case "locked":
      return locked(refusal, actions);
    case "closed":
      return panel(t("entry.closed"), t("entry.closed_words"), bothSeats(actions));
    case "removed":
      return panel(t("entry.removed"), t("entry.removed_words"));
    case "rated":
      return panel(t("entry.rated"), t("entry.rated_words"), press(t("entry.watch"), actions.again));
    case "elsewhere":
      return panel(t("entry.elsewhere"), t("entry.elsewhere_words"), press(t("entry.here"), actions.again));
    default:
      return panel(
        t("entry.refused"),
        refusal ? refusalWords(refusal) : t("entry.refused_words"),
        press(t("entry.again"), actions.again),
      );
  }
}

function bothSeats({ take }) {
  const place = h("div");
  const fill = async () => {
    const { TakeSeat } = await import("./take_seat.js");
    const seats = new TakeSeat(take, () => {});
    seats.show(["X", "O"]);
    place.append(seats.element);
  };
  fill();
  return place;
}

function noSuchRoom(refusal, room, { create }) {
  const name = new NameField();
  const more = h("details", { ontoggle: () => unfold() }, h("summary", {}, t("form.summary")));
  const submit = (event) => {
    event.preventDefault();
    if (name.keep()) create({ role: "player", name: name.value, settings: {} });
  };
  const form = h("form", { class: "room-form", onsubmit: submit }, name.element, more, h("button", { type: "submit", class: "main" }, t("form.create")));
  // Most visitors take the room as it is: the module of the choices is loaded when needed.
  const unfold = async (refused = null) => {
    const { RoomForm } = await import("../room_form.js");
    await addPart("form");
    name.keep();
    const whole = new RoomForm(room, ({ joinFields }) => create(joinFields));
    form.replaceWith(whole.element);
    whole.unfold();
    if (refused) whole.refused(refused);
  };
  if (refusal) unfold(refusal);
  return panel(t("entry.free"), t("entry.free_words"), form);
}

function locked(refusal, { unlock }) {
  const input = h("input", {
    type: "password",
    required: true,
    autofocus: true,
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
    h("label", { class: "field" }, h("span", {}, t("entry.password")), input),
    refusal ? h("p", { class: "trouble", role: "alert" }, refusalWords(refusal)) : null,
    h("button", { type: "submit", class: "main" }, t("entry.enter")),
  );
  return panel(t("entry.locked"), t("entry.locked_words"), form);
}

const press = (words, onclick) => h("button", { type: "button", class: "main", onclick }, words);

function panel(title, words, ...children) {
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, title),
    h("p", {}, words),
    ...children,
    h("p", {}, h("a", { href: lobbyPage() }, t("home"))),
  );
}
