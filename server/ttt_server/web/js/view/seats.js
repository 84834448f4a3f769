// The seats: player, presence, clock and score; or a free seat.

import { t } from "../model/language.js";
import { chooser, isShared, seatsOf, timeLeft, toMove } from "../model/state.js";
import { strengthOf } from "../model/strength.js";
import { nameOf, thoughtWords, timeWords } from "../model/words.js";
import { h, s, setText } from "./dom.js";

const LOW_MS = 10_000;

export const glyph = (mark) =>
  s(
    "svg",
    { class: `glyph ${mark}`, viewBox: "0 0 10 10", "aria-hidden": "true" },
    mark === "X"
      ? s("path", { d: "M2.2 2.2 L7.8 7.8 M7.8 2.2 L2.2 7.8" })
      : s("circle", { cx: 5, cy: 5, r: 3.1 }),
  );

export class Seat {
  #mark;
  #name = h("bdi", { class: "name" });
  #tags = h("span", { class: "tags" });
  #score = h("span", { class: "score" });
  #clock = h("span", { class: "clock" });
  #reason = h("p", { class: "reason", dir: "auto" });
  #menuOf;
  #menu = h("span", { class: "menu-place" });
  #about = "";
  #isKept = false;
  #rename;

  /** `menuOf({from, name})` gives the host's menu about a player, or null; `rename()` is called for a press. */
  constructor(mark, menuOf, rename) {
    this.#mark = mark;
    this.#menuOf = menuOf;
    this.#rename = h(
      "button",
      { type: "button", class: "rename", "aria-label": t("name.change_at", { mark }), onclick: rename },
      "✎",
    );
    this.element = h(
      "section",
      { class: `seat ${mark}`, "aria-label": t("seat.label", { mark }) },
      glyph(mark),
      h("div", { class: "who" }, h("div", {}, this.#name, h("span", { class: "beside" }, this.#tags, this.#rename)), this.#reason),
      this.#clock,
      this.#score,
      this.#menu,
    );
  }

  show(view) {
    const mark = this.#mark;
    const { seats, score, game } = view.room;
    const seat = seats[mark];
    const isMine = seatsOf(view).includes(mark);
    if (seat?.person || this.#isKept) this.#link(seat);
    setText(this.#name, seat ? nameOf(seat, view.room.settings.rules) : t("seat.free"));
    this.#name.title = this.#name.textContent; // it may be cut off
    const tags = [
      isMine && !isShared(view) ? t("seat.you") : null,
      seat?.kind === "ai" && !strengthOf(view.room.settings.rules, seat) ? t("seat.ai") : null,
      seat?.bot ? t("seat.bot") : null,
      seat && !seat.connected ? t("seat.away") : null,
    ];
    setText(this.#tags, tags.filter(Boolean).join(" · "));
    this.element.classList.toggle("free", !seat);
    this.element.classList.toggle("away", Boolean(seat) && !seat.connected);
    this.element.classList.toggle("to-move", (toMove(view) ?? chooser(view)) === mark);
    this.element.classList.toggle("won", game?.outcome?.winner === mark);
    setText(this.#reason, view.reasons[mark] ? thoughtWords(view.reasons[mark]) : "");
    this.#reason.hidden = !view.reasons[mark];
    this.#rename.hidden = !isMine;
    this.#showMenu(view, seat);
    const played = score.X + score.O + score.draws > 0;
    setText(this.#score, played ? String(score[mark]) : "");
    this.#score.title = played ? t("seat.score", { won: score[mark], draws: score.draws }) : "";
    this.tick(view, performance.now());
  }

  /** A name that is kept on the server leads to its person. */
  async #link(seat) {
    this.#isKept = Boolean(seat?.person);
    const { linkPerson } = await import("./person_mark.js");
    linkPerson(this.#name, seat);
  }

  #showMenu({ you, partner }, seat) {
    const about = `${you?.host} ${partner?.id} ${seat?.id} ${seat?.name}`;
    if (this.#about === about) return;
    const menu = seat?.kind === "human" ? this.#menuOf({ from: seat.id, name: seat.name }) : null;
    this.#about = menu ? about : ""; // the menus come later than the room
    this.#menu.replaceChildren(...(menu ? [menu] : []));
  }

  /** Show the time left, which changes without a message. */
  tick(view, now) {
    const left = timeLeft(view, this.#mark, now);
    this.#clock.hidden = left === null;
    if (left === null) return;
    setText(this.#clock, timeWords(left));
    this.#clock.classList.toggle("low", left < LOW_MS);
  }
}
