"""Make the data of persons: the words of phrases, and the letters that look alike.

    python -m tests.bench.people_data XKCDPASS.whl CONFUSABLE_HOMOGLYPHS.whl

The wheels are those of the Python packages xkcdpass, which has EFF's short list of words, and
confusable_homoglyphs, which has Unicode's `confusables.txt` (UTS #39) as pairs in both directions.
"""

import json
import sys
import unicodedata
from collections import defaultdict
from pathlib import Path
from zipfile import ZipFile

from ttt_protocol.text import is_clean
from ttt_server.people import names

_TO_THE_RIGHT = "\u200e"
"""Is written around letters that run to the left."""

PEOPLE = Path(names.__file__).parent


def words(wheel: Path) -> list[str]:
    """Return the words of EFF's short list, in its order."""
    with ZipFile(wheel) as archive:
        return archive.read("xkcdpass/static/eff-short").decode().split()


def prototypes(wheel: Path) -> dict[str, str]:
    """Return what each confusable character stands for: the same for all that look alike."""
    with ZipFile(wheel) as archive:
        pairs = json.loads(archive.read("confusable_homoglyphs/confusables.json"))
    leads_to: dict[str, str] = {}

    def root(text: str) -> str:
        while (above := leads_to.get(text, text)) != text:
            text = above
        return text

    known: set[str] = set()
    for one, others in pairs.items():
        for other in others:
            both = [text.replace(_TO_THE_RIGHT, "") for text in (one, other["c"])]
            known |= {*both}
            leads_to[root(both[0])] = root(both[1])
    alike = defaultdict(list)
    for text in known:
        alike[root(text)].append(text)
    # Only what a character stands for may have several characters, as `rn` for m.
    first = {each: min(texts, key=lambda text: (-len(text), text)) for each, texts in alike.items()}
    found = {text: first[root(text)] for texts in alike.values() for text in texts}
    return {text: found[text] for text in found if len(text) == 1 and found[text] != text}


def needed(found: dict[str, str]) -> dict[str, str]:
    """Return those characters whose looks no other folding of names finds."""
    return {
        char: target
        for char, target in found.items()
        if is_clean(f"x{char}") and names.folded(char, {}) != names.folded(target, {})
        if unicodedata.normalize("NFKD", char) == char
    }


def main() -> int:
    """Write both files."""
    of_words, of_letters = map(Path, sys.argv[1:])
    (PEOPLE / "words.txt").write_text("".join(f"{word}\n" for word in words(of_words)))
    lines: defaultdict[str, str] = defaultdict(str)
    for char, target in sorted(needed(prototypes(of_letters)).items()):
        lines[target] += char
    text = "".join(f"{target}\t{chars}\n" for target, chars in sorted(lines.items()))
    (PEOPLE / "look_alikes.txt").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
