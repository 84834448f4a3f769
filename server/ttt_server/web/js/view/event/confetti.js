// Confetti for a winner; none where less motion is asked for.

import { s } from "../dom.js";

const PIECES = 90;
const COLOURS = ["var(--x)", "var(--o)", "var(--win)", "var(--good)"];
const FALL_MS = 5_000;

export function confetti() {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const pieces = Array.from({ length: PIECES }, (_, index) => {
    const piece = s("rect", { x: Math.random() * 100, y: -4, width: 1.1, height: 1.8, fill: COLOURS[index % COLOURS.length] });
    const drift = (Math.random() - 0.5) * 30;
    piece.animate(
      [{ transform: "none" }, { transform: `translate(${drift}px, 110px) rotate(${drift * 20}deg)` }],
      { duration: FALL_MS * (0.6 + Math.random() * 0.4), delay: Math.random() * 800, fill: "both" },
    );
    return piece;
  });
  const sky = s("svg", { class: "confetti", viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" }, ...pieces);
  document.body.append(sky);
  setTimeout(() => sky.remove(), FALL_MS + 1000);
}
