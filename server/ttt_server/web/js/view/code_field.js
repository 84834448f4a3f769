// The field for a code that leads to an event or a room that is there, and never makes one.

import { t } from "../model/language.js";
import { codeOf, eventNameOf, roomNameOf } from "../model/names.js";
import { eventPage, fetchAnswer, roomPage } from "../net/address.js";
import { h, setText } from "./dom.js";

/** The form, and below it why a code leads nowhere. */
export function codeField() {
  const code = h("input", { name: "code", required: true, maxlength: "300", autocomplete: "off", "aria-label": t("code"), placeholder: t("code") });
  const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  const refuse = (words) => {
    trouble.hidden = false;
    setText(trouble, words);
    code.select();
  };
  const enter = async (submit) => {
    submit.preventDefault();
    trouble.hidden = true;
    const { code: typed, host } = codeOf(code.value);
    if (host && host !== location.host) return refuse(t("code.elsewhere", { host }));
    const [event, room] = [eventNameOf(typed), roomNameOf(typed)];
    const ofEvent = event ? (await fetchAnswer(`events/${event}`)).status : 404;
    if (ofEvent === 200) return location.assign(eventPage(event));
    const ofRoom = room ? (await fetchAnswer(`rooms/${room}`)).status : 404;
    if ([200, 403].includes(ofRoom)) return location.assign(roomPage(room));
    refuse(t(whyNot([ofEvent, ofRoom])));
  };
  // A picture of a code is read where the browser can.
  const paste = async (event) => {
    const picture = [...event.clipboardData.files].find(({ type }) => type.startsWith("image/"));
    if (!picture) return;
    event.preventDefault();
    const found = await textIn(picture);
    if (!found) return refuse(t("code.picture"));
    code.value = found;
    form.requestSubmit();
  };
  code.addEventListener("paste", paste);
  const form = h("form", { class: "code", onsubmit: enter }, code, h("button", { type: "submit", class: "main" }, t("code.go")));
  return h("div", { class: "code-field" }, form, trouble);
}

/** The text that says why no code was found, by the statuses of the answers: 0 is none. */
function whyNot(statuses) {
  if (statuses.includes(429) || statuses.includes(503)) return "code.busy";
  return statuses.includes(0) ? "refused.unreachable" : "code.unknown";
}

/** The text of the QR code in a picture; null for none, or where the browser cannot read one. */
async function textIn(picture) {
  const Detector = globalThis.BarcodeDetector;
  if (!Detector) return null;
  try {
    const [found] = await new Detector({ formats: ["qr_code"] }).detect(await createImageBitmap(picture));
    return found?.rawValue ?? null;
  } catch {
    return null; // no picture after all, or no detector on this system
  }
}
