import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_protocol.text import clean, counted, is_blank, is_clean, look, plural, told_apart

ORDINARY = [
    "good game, well played!",
    "Zażółć gęślą jaźń: «ça va?»",
    "Кто ходит?",
    "Καλημέρα κόσμε",
    "שלום עולם",
    "שָׁלוֹם",
    "مرحبا بالعالم",
    "नमस्ते दुनिया",
    "வணக்கம் உலகம்",
    "สวัสดีชาวโลก ที่นี่",
    "ສະບາຍດີ",
    "გამარჯობა",
    "Բարեւ",
    "ሰላም ልዑል",
    "今日は、世界。",
    "コンニチハ",
    "你好,世界",
    "안녕하세요",
    "Tiếng Việt",
    unicodedata.normalize("NFD", "Tiếng Việt"),
    "❤️ 👍🏽 🎉 ♟",
    "👨‍👩‍👧‍👦 👩🏽‍💻 ❤️‍🔥 🏳️‍🌈 🏴‍☠️",
    "🇫🇷 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f 1️⃣ #️⃣",
    "می‌خواهم نمی‌دانم",
    "क्‍ष",
    "a < b && c > d; ~{}[]|`'\"\\",
    "x² ≤ ½ · 10³ €",
    "",
    " ",
]
SEQUENCES = [
    "\x1b[31m",
    "\x1b[1;38;5;200m",
    "\x1b[2J",
    "\x1b[?25l",
    "\x1b[0 q",
    "\x9b31m",
    "\x1b]0;a title\x07",
    "\x1b]0;a title\x1b\\",
    "\x1b]0;two\nlines\x07",
    "\x9d0;a title\x9c",
    "\x1b]52;c;c2VjcmV0\x07",
    "\x1b]8;;http://example.org\x1b\\",
    "\x1bP1$r0m\x1b\\",
    "\x90q\x9c",
    "\x1bXa string\x1b\\",
    "\x98a string\x9c",
    "\x1b^private\x1b\\",
    "\x9eprivate\x9c",
    "\x1b_application\x1b\\",
    "\x9fapplication\x9c",
    "\x1bc",
    "\x1b7",
    "\x1b(B",
    "\x1b#8",
    "\x1b=",
]
INVISIBLE = [
    *map(chr, (0x00, 0x07, 0x08, 0x1A, 0x7F, 0x80, 0x84, 0x9C)),  # C0, C1
    *map(chr, (0x200B, 0x2060, 0xFEFF, 0x00AD, 0x034F, 0x180E)),  # zero width
    *map(chr, (0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E)),  # bidi
    *map(chr, (0x2066, 0x2067, 0x2068, 0x2069)),
    *map(chr, (0xFFF9, 0xFFFA, 0xFFFB, 0xE0001, 0xE0041, 0xE007F)),  # notes and tags
    *map(chr, (0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0)),  # fillers
    *map(chr, (0xFFFC, 0x16FE4, 0x1D159, 0x1D173)),
    *map(chr, (0x180B, 0xFE00, 0xFE0D, 0xE0100, 0xE01EF)),  # variants
    *map(chr, (0xE000, 0xF8FF, 0x10FFFF, 0xFFFE, 0xD800, 0xDFFF)),  # nobody's
]
SPACES = ["\t", "\n", "\r", "\v", "\f", "\x1c", "\x85", "\xa0", *map(chr, (0x2028, 0x2029, 0x3000))]
PIECES = st.sampled_from(
    [
        *SEQUENCES,
        *INVISIBLE,
        *SPACES,
        "\x1b",
        "[",
        "]",
        "\u0301",
        "\u0e35",
        "\u200c",
        "\u200d",
        "❤",
        "\ufe0f",
    ]
)
ANY_TEXT = st.lists(PIECES | st.text(st.characters(), max_size=4), max_size=20).map("".join)
LINE = st.text(st.characters(categories=("L", "N", "P", "S")), max_size=40)


def is_mark(char: str) -> bool:
    return unicodedata.category(char).startswith("M")


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert clean(text) == text
    assert is_clean(text)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_terminal_sequences_go_as_a_whole(sequence: str) -> None:
    assert clean(f"a{sequence}b") == "ab"
    assert clean(sequence) == ""
    assert clean(sequence * 3) == ""
    assert not is_clean(sequence)


@pytest.mark.parametrize("begin", ["\x1b]0;", "\x9d0;", "\x1bP", "\x1b_", "\x1b^", "\x1bX"])
def test_a_sequence_that_does_not_end_takes_the_rest(begin: str) -> None:
    assert clean(f"a{begin}b\nc\n") == "a"


def test_what_is_left_of_a_broken_sequence_is_harmless() -> None:
    assert clean("\x1b\x1b[31m[31m") == "[31m"
    assert clean("a\x1b") == "a"
    assert clean("\x9b31") == "31"


def test_what_does_not_show_goes() -> None:
    for char in INVISIBLE:
        assert clean(f"a{char}{char}z") in ("az", "a"), ascii(char)  # C1 may begin a sequence
        assert not is_clean(f"a{char}z"), ascii(char)


@pytest.mark.parametrize("char", SPACES, ids=ascii)
def test_line_breaks_and_odd_spaces_become_a_space(char: str) -> None:
    assert clean(f"a{char}b") == "a b"
    assert not is_clean(f"a{char}b")


def test_of_marks_in_a_row_two_stay() -> None:
    assert clean("e\u0301\u0302\u0303\u0304x\u0301") == "e\u0301\u0302x\u0301"
    assert clean("e\u0301\u0302" + "o\u0301\u0302") == "e\u0301\u0302o\u0301\u0302"
    assert not is_clean("e" + "\u0301" * 3)


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"], ids=ascii)
def test_a_joiner_stands_between_two_visible_characters(joiner: str) -> None:
    assert is_clean(f"a{joiner}b")
    assert clean(f"{joiner}a{joiner}{joiner}b{joiner} {joiner}c{joiner}") == f"a{joiner}b c"
    assert clean(f"e\u0301\u0302{joiner}\u0303x") == "e\u0301\u0302x", "no row of marks goes on"
    assert clean(joiner) == ""
    assert look(f"a{joiner}da") == look("ada")


def test_the_tags_of_a_flag_stand_in_a_flag() -> None:
    tags = "\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067"
    assert clean(f"a{tags}\U000e007f") == "a"
    assert clean(f"\U0001f3f4{tags}") == "\U0001f3f4"
    assert look(f"ada\U0001f3f4{tags}\U000e007f") == look("ada\U0001f3f4")


@pytest.mark.parametrize("text", ["❤️", "☎︎ ☎️", "♟️"])
def test_a_sign_may_be_text_or_a_picture(text: str) -> None:
    assert is_clean(text)


@pytest.mark.parametrize(
    "text", ["ada\ufe0f", "\ufe0fada", "a\ufe0ed", "❤\u0301\ufe0f", "❤️️"], ids=ascii
)
def test_no_letter_has_a_hidden_variant(text: str) -> None:
    assert not is_clean(text)


def test_no_mark_stands_on_what_another_wrote() -> None:
    assert clean("\u0301\u0302ada") == "ada"
    assert clean(" \u0301ada") == " \u0301ada"


def test_what_is_removed_does_not_part_a_row_of_marks() -> None:
    assert clean("e\u0301\u0302\u200b\u0303\x1b[m\u0304") == "e\u0301\u0302"


@pytest.mark.parametrize("text", ["", " ", "\u0301", " \u0301", "\ufe0f", "\t\u3000"], ids=ascii)
def test_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", " .", "e\u0301", "नि", "❤️"])
def test_not_blank(text: str) -> None:
    assert not is_blank(text)


@given(ANY_TEXT)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert is_clean(cleaned)
    assert is_clean(text) == (text == cleaned)


@given(ANY_TEXT)
def test_clean_text_has_nothing_that_hides_or_moves(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) <= len(text)
    assert not set("\u200c\u200d") & {cleaned[:1], cleaned[-1:]}
    cleaned = cleaned.replace("\u200c", "").replace("\u200d", "")
    assert cleaned.isprintable()
    assert len(cleaned.splitlines()) <= 1
    assert not {unicodedata.category(char) for char in cleaned} & {"Zl", "Zp"}
    assert not [char for char in cleaned if unicodedata.category(char).startswith("C")]
    assert not set(cleaned) & {*INVISIBLE, *SPACES}
    triples = zip(cleaned, cleaned[1:], cleaned[2:], strict=False)
    assert not [row for row in triples if all(map(is_mark, row))]


@given(LINE)
def test_letters_numbers_and_signs_of_any_script_stay(text: str) -> None:
    fillers = {"\u115f", "\u1160", "\u2800", "\u3164", "\uffa0", "\ufffc", "\U0001d159"}
    assert clean(text) == "".join(char for char in text if char not in fillers)


@pytest.mark.parametrize(
    "name",
    [
        *("ada", "ADA", "a d a", "ada ", "ada\u00a0", "\u0430d\u0430", "\u0410D\u0410"),
        *("\uff21da", "\u0391da", "Ad\u00e1", "a\u0501a", "\u0251da"),
    ],
)
def test_names_that_look_like_ada(name: str) -> None:
    assert look(name) == look("ada")
    assert told_apart(name, ["bob", "ada"]) == f"{name.rstrip()} 2"
    assert told_apart(name, ["bob"]) == name
    assert told_apart(name, []) == name


@pytest.mark.parametrize(
    ("one", "other"), [("bill", "b1|l"), ("HANS", "\u041d\u0410NS"), ("moon", "m0\u043en")]
)
def test_other_names_that_look_alike(one: str, other: str) -> None:
    assert look(one) == look(other)


@pytest.mark.parametrize(("one", "other"), [("ada", "adam"), ("Anna", "Hanna"), ("李", "王")])
def test_names_that_do_not(one: str, other: str) -> None:
    assert look(one) != look(other)


def test_a_numbered_name_is_new_and_not_too_long() -> None:
    taken = ["a" * 24, "a" * 20 + " 2"]
    assert told_apart("a" * 24, taken) == "a" * 20 + " 3"


@pytest.mark.parametrize(("count", "words"), [(0, "0 rooms"), (1, "1 room"), (2, "2 rooms")])
def test_a_count_has_its_noun(count: int, words: str) -> None:
    assert counted(count, "room") == words


@pytest.mark.parametrize(("count", "noun"), [(0.5, "points"), (1, "point"), (1.5, "points")])
def test_a_noun_has_the_number_of_its_count(count: float, noun: str) -> None:
    assert plural(count, "point") == noun
