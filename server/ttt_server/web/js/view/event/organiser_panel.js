// The buttons of the organiser of an event.

import { t } from "../../model/language.js";
import { organiserPage } from "../../net/address.js";
import { AiPicker } from "../ai_picker.js";
import { confirmed } from "../confirmed.js";
import { h, setText } from "../dom.js";
import { RESULTS } from "./tables.js";
import { seatLinks } from "./seat_links.js";

export class OrganiserPanel {
  #send;
  #name;
  #main = h("div", { class: "row" });
  /** Why the event cannot begin. */
  #why = h("p", { id: "why-not", class: "facts" });
  #doors = h("button", { type: "button" });
  #invitation = organiserLink({ hidden: true });
  #unannounce = button(t("tournament.unannounce"), () => this.#send({ type: "announce" }));
  #addAi;
  /** The event as it is now. */
  #event = null;
  #status = null;

  /** `name` and `rules` are those of the event; `send(command)` says whether a command went to the server. */
  constructor(name, rules, send) {
    this.#name = name;
    this.#send = send;
    const announcement = h("input", { maxlength: "200", required: true });
    const ai = new AiPicker(rules, t("ai.label"), t("ai.level_label"));
    const addAi = button(t("tournament.add_ai"), () => send({ type: "add_ai", ai: ai.value }));
    this.#addAi = h("div", { class: "row" }, ai.element, addAi);
    this.element = h(
      "section",
      { class: "panel organiser", "aria-label": t("tournament.organise") },
      h("h2", {}, t("tournament.organise")),
      this.#main,
      this.#why,
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
            if (send({ type: "announce", text: announcement.value })) announcement.value = "";
          },
        },
        h("label", { class: "field" }, h("span", {}, t("tournament.announcement")), announcement),
        h("button", { type: "submit" }, t("tournament.announce")),
        this.#unannounce,
      ),
      this.#addAi,
      seatLinks(() => this.#event.settings),
    );
  }

  show(event) {
    const { form, status, doors_open: isOpen } = event;
    const isFixed = status !== "created" && ["round-robin", "knockout", "match"].includes(form);
    this.#event = event;
    this.#unannounce.hidden = event.announcements.length === 0;
    this.#doors.hidden = this.#addAi.hidden = this.#isOver || isFixed;
    setText(this.#doors, t(isOpen ? "tournament.close_doors" : "tournament.open_doors"));
    this.#doors.onclick = () => this.#send({ type: "doors", open: !isOpen });
    this.#showMain();
    const canStart = status !== "created" || canBegin(event);
    setText(this.#why, canStart ? "" : t("tournament.refused.start.not_allowed"));
    const start = this.#main.querySelector(".start");
    if (start) start.disabled = !canStart;
  }

  #showMain() {
    const { status } = this.#event;
    if (status === this.#status) return;
    this.#status = status;
    const main = { created: ["start", "finish"], running: ["pause", "finish"], paused: ["resume", "finish"] };
    this.#main.replaceChildren(
      ...(main[status] ?? []).map((type) =>
        type === "finish"
          ? confirmed(t("tournament.finish"), t("tournament.finish_sure"), () => this.#send({ type }))
          : button(t(`tournament.${type}`), () => this.#send({ type }), `main ${type}`),
      ),
    );
  }

  get #isOver() {
    return this.#event.status === "finished";
  }

  /** Show the link of a second organiser. */
  invite(token) {
    this.#invitation.value = organiserPage(this.#name, token);
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

  /** The buttons beside a game; none where the next round of a knockout follows from it. */
  forGame = ({ number, round, X, O, result }) => {
    if (this.#event.form === "knockout" && round !== this.#event.round) return null;
    const results = ["X", "O", "draw"].map((each) => h("option", { value: each }, RESULTS[each]));
    const ask = () => {
      sure.hidden = !select.value;
      if (select.value) setText(sure, t("tournament.correct_sure", { result: RESULTS[select.value] }));
    };
    const select = h(
      "select",
      { "aria-label": `${t("tournament.correct")} ${X} – ${O}`, onchange: ask },
      h("option", { value: "" }, t("tournament.correct")),
      ...results,
    );
    const sure = button("", () => {
      this.#send({ type: "result", game: number, result: select.value });
      select.value = "";
      select.focus();
      ask();
    });
    sure.hidden = true;
    return h(
      "span",
      {},
      select,
      sure,
      result === null && !this.#isOver ? this.#asking("recreate", { game: number }) : null,
    );
  };

  /** A button of a command that costs a game. */
  #asking(type, fields) {
    const act = () => this.#send({ type, ...fields });
    const asking = confirmed(t(`tournament.${type}`), t(`tournament.${type}_sure`), act);
    asking.className = type;
    return asking;
  }

  #rename(player) {
    const old = this.#event.standings.find(({ id }) => id === player).name;
    const name = prompt(t("tournament.new_name", { name: old }), old)?.trim();
    if (name && name !== old) this.#send({ type: "rename", player, name });
  }
}

/** A field with a link that has the rights of the organiser. */
export const organiserLink = (attributes) =>
  h("input", {
    ...attributes,
    class: "organiser-link",
    readonly: true,
    "aria-label": t("tournament.organiser_link"),
    onfocus: ({ target }) => target.select(),
  });

/** Whether as many take part as the form needs. */
function canBegin({ form, standings }) {
  const count = standings.filter(({ status }) => status === "active").length;
  return form === "match" ? count === 2 : count >= 2;
}

const button = (words, press, kind = null) => h("button", { type: "button", class: kind, onclick: press }, words);
