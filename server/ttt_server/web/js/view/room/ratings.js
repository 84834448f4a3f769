// How strong the persons in a room are, beside their names; what a game changed; and why one does not count.

import { optionalText, t } from "../../model/language.js";
import { fetchJson } from "../../net/address.js";
import { recallToken } from "../../net/token_store.js";
import { byId, h, setText } from "../dom.js";
import { addPart } from "../page.js";

await addPart("ratings");

const MARKS = ["X", "O"];
const AGAIN_MS = 1_000;
const TRIES = 15; // the server counts a game some seconds after its end

export class RoomRatings {
  #room;
  #shown = MARKS.map(() => h("span", { class: "rating", hidden: true }));
  #note = h("p", { class: "facts", role: "note" });
  #asked = "";

  /** `seats`: the elements of X and O. */
  constructor(room, seats) {
    this.#room = room;
    seats.forEach((seat, index) => seat.querySelector(".beside").prepend(" ", this.#shown[index]));
    byId("because").after(this.#note);
  }

  show({ room: { game, seats, settings } }) {
    const unrated = game?.unrated && (optionalText(`rating.unrated.${game.unrated}`) ?? game.unrated);
    setText(this.#note, settings.rated ? (unrated ?? t("rating.room")) : "");
    this.#note.hidden = !settings.rated;
    const isOver = Boolean(game?.outcome);
    const key = JSON.stringify([...MARKS.map((mark) => seats[mark]?.person), game?.number, isOver]);
    if (key === this.#asked) return;
    this.#asked = key;
    this.#ask(key, settings.rated && isOver && !game.unrated ? TRIES : 1);
  }

  async #ask(key, tries) {
    const found = await fetchJson(`rooms/${this.#room}/ratings`, recallToken(this.#room));
    if (key !== this.#asked) return;
    this.#shown.forEach((element, index) => showRating(element, found?.[MARKS[index]]));
    const isCounted = MARKS.some((mark) => found?.[mark]?.change !== undefined);
    if (!isCounted && tries > 1) setTimeout(() => key === this.#asked && this.#ask(key, tries - 1), AGAIN_MS);
  }
}

/** `1512?` and after a game `+12`; hidden where there is none. */
function showRating(element, rating) {
  element.hidden = !rating;
  if (!rating) return;
  const points = `${Math.round(rating.rating)}${rating.provisional ? "?" : ""}`;
  const change = Math.round(rating.change ?? 0);
  const gained = rating.change === undefined ? "" : ` ${change < 0 ? "−" : "+"}${Math.abs(change)}`;
  setText(element, points + gained);
  const words = t("rating.of", { points: points.replace("?", "") });
  element.title = rating.provisional ? `${words}, ${t("rating.provisional")}` : words;
}
