"""The words of recovery phrases."""

from math import log2

from ttt_server.people.phrases import WORDS, _words, as_words, new_code, new_phrase


def test_phrases_have_sixty_two_bits() -> None:
    assert len(set(_words())) == 1296
    assert WORDS * log2(len(_words())) > 62
    phrases = {new_phrase() for _ in range(100)}
    assert len(phrases) == 100
    assert all(set(phrase.split()) <= set(_words()) for phrase in phrases)


def test_every_word_is_read_as_it_was_written() -> None:
    for word in _words():
        assert as_words(word) == word
    assert as_words("  Acid,\tacorn;yo-yo\n ") == "acid acorn yo-yo"


def test_a_command_line_does_not_take_a_code_for_an_option() -> None:
    codes = {new_code(9) for _ in range(1000)}
    assert len(codes) == 1000
    assert not any("-" in code for code in codes)
