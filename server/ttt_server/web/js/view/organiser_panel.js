// The buttons of the organiser of an event.

import { t } from "../model/language.js";
import { organiserPage } from "../net/address.js";
import { AiPicker } from "./ai_picker.js";
import { confirmed } from "./confirmed.js";
import { h, setText } from "./dom.js";
import { seatLinks } from "./seat_links.js";

export class OrganiserPanel {
  #send;
  #event;
  #main = h("div", { class: "row" });
  #doors = h("button", { type: "button" });
  #invitation = h("input", { readonly: true, hidden: true, "aria-label": t("tournament.organiser_link") });
  #status = null;
  /** The settings of the event. */
  #settings = null;

  /** `rules` are those of the event; `send(command)` gives a command to the server. */
  constructor(event, rules, send) {
    this.#event = event;
    this.#send = send;
    const announcement = h("input", { maxlength: "200" });
    const ai = new AiPicker(rules, t("ai.label"), t("ai.level_label"));
    this.element = h(
      "section",
      { class: "panel organiser", "aria-label": t("tournament.organise") },
      h("h2", {}, t("tournament.organise")),
      this.#main,
      h(
        "div",
        { class: "row" },
        this.#doors,
        button(t("tournament.invite"), () => send({ type: "invite" })),
        this.#invitation,
      ),
      h(
        "form",
        {
          class: "row",
          onsubmit: (event) => {
            event.preventDefault();
            send({ type: "announce", ...(announcement.value.trim() ? { text: announcement.value } : {}) });
            announcement.value = "";
          },
        },
        h("label", { class: "field" }, h("span", {}, t("tournament.announcement")), announcement),
        h("button", { type: "submit" }, t("tournament.announce")),
      ),
      h("div", { class: "row" }, ai.element, button(t("tournament.add_ai"), () => send({ type: "add_ai", ai: ai.value }))),
      seatLinks(() => this.#settings),
    );
  }

  show({ status, doors_open: isOpen, settings }) {
    this.#settings = settings;
    this.#doors.hidden = status === "finished";
    setText(this.#doors, t(isOpen ? "tournament.close_doors" : "tournament.open_doors"));
    this.#doors.onclick = () => this.#send({ type: "doors", open: !isOpen });
    if (status === this.#status) return;
    this.#status = status;
    const main = { created: ["start", "finish"], running: ["pause", "finish"], paused: ["resume", "finish"] };
    this.#main.replaceChildren(
      ...(main[status] ?? []).map((type) =>
        type === "finish"
          ? confirmed(t("tournament.finish"), t("tournament.finish_sure"), () => this.#send({ type }))
          : button(t(`tournament.${type}`), () => this.#send({ type }), "main"),
      ),
    );
  }

  /** Show the link of a second organiser. */
  invite(token) {
    this.#invitation.value = organiserPage(this.#event, token);
    this.#invitation.hidden = false;
    this.#invitation.select();
  }

  /** The buttons beside a player. */
  forPlayer = ({ id, status }) =>
    h(
      "td",
      { class: "tools" },
      status === "active" ? this.#asking("excuse", { player: id }) : null,
      this.#asking("remove", { player: id, may_return: false }),
      button(t("tournament.rename"), () => this.#rename(id)),
    );

  /** The button beside a player who was removed. */
  forRemoved = ({ id, may_return: mayReturn }) =>
    h(
      "td",
      { class: "tools" },
      mayReturn
        ? this.#asking("remove", { player: id, may_return: false })
        : button(t("tournament.let_in"), () => this.#send({ type: "remove", player: id, may_return: true })),
    );

  /** The buttons beside a game. */
  forGame = ({ number, result }) => {
    const results = ["X", "O", "draw"].map((each) => h("option", { value: each }, each));
    const select = h(
      "select",
      { "aria-label": t("tournament.correct"), onchange: () => this.#correct(number, select) },
      h("option", { value: "" }, t("tournament.correct")),
      ...results,
    );
    return h(
      "span",
      {},
      select,
      result === null ? this.#asking("recreate", { game: number }) : null,
    );
  };

  /** A button of a command that costs a game. */
  #asking(type, fields) {
    return confirmed(t(`tournament.${type}`), t(`tournament.${type}_sure`), () => this.#send({ type, ...fields }));
  }

  #correct(game, select) {
    this.#send({ type: "result", game, result: select.value });
    select.value = "";
  }

  #rename(player) {
    const name = prompt(t("name"))?.trim();
    if (name) this.#send({ type: "rename", player, name });
  }
}

const button = (words, press, kind = null) => h("button", { type: "button", class: kind, onclick: press }, words);
