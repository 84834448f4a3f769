// Confetti for a winner, of marks; none where less motion is asked for.

import { h } from "../dom.js";
import { glyph } from "../seats.js";

const PIECES = 90;
const FALL_MS = 5_000;

export function confetti() {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const pieces = Array.from({ length: PIECES }, (_, index) => {
    const piece = glyph(index % 2 ? "X" : "O");
    const drift = (Math.random() - 0.5) * 30;
    piece.style.left = `${Math.random() * 100}%`;
    piece.animate(
      [{ transform: "none" }, { transform: `translate(${drift}vw, 110vh) rotate(${drift * 20}deg)` }],
      { duration: FALL_MS * (0.6 + Math.random() * 0.4), delay: Math.random() * 800, fill: "both" },
    );
    return piece;
  });
  const sky = h("div", { class: "confetti", "aria-hidden": "true" }, ...pieces);
  document.body.append(sky);
  setTimeout(() => sky.remove(), FALL_MS + 1000);
}
