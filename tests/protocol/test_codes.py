from ttt_protocol.codes import CLOSE_REASONS, REASONS, CloseCode, Reason, RefusalCode

REFUSALS = [
    "bad_json",
    "bad_command",
    "not_joined",
    "already_joined",
    "no_such_room",
    "seat_taken",
    "room_full",
    "spectators_off",
    "wrong_password",
    "bad_token",
    "settings_conflict",
    "unknown_strategy",
    "strategy_cannot_play",
    "not_a_player",
    "game_not_started",
    "wrong_game",
    "game_over",
    "not_your_turn",
    "stale_ply",
    "out_of_board",
    "cell_taken",
    "floating_cell",
    "other_board",
    "no_such_offer",
    "not_allowed",
    "too_early",
    "rate_limited",
    "server_full",
    "storage_failed",
]
CLOSES = [1000, 1001, 1003, 1007, 1008, 1009, 1011, 1012, 4001, 4002, 4003]
ENDS = [
    *("line", "full", "resignation", "timeout", "abandonment", "agreement", "forfeit"),
    *("repetition", "long", "void"),
]


def test_the_refusal_codes_are_those_of_the_contract() -> None:
    assert [code.value for code in RefusalCode] == REFUSALS


def test_the_close_codes_are_those_of_the_contract() -> None:
    assert sorted(CloseCode) == CLOSES


def test_the_reasons_of_an_end_are_those_of_the_contract() -> None:
    assert [reason.value for reason in Reason] == ENDS


def test_the_names_of_close_codes_say_what_the_contract_says() -> None:
    assert {code.value: code.name for code in CloseCode} == {
        1000: "BYE",
        1001: "GOING_AWAY",
        1003: "BINARY_FRAME",
        1007: "NOT_UTF8",
        1008: "POLICY",
        1009: "FRAME_TOO_LARGE",
        1011: "SERVER_FAULT",
        1012: "RESTARTING",
        4001: "SEAT_TAKEN_OVER",
        4002: "ROOM_CLOSED",
        4003: "REMOVED",
    }


def test_every_refusal_has_words_of_its_own() -> None:
    assert list(REASONS) == list(RefusalCode)
    assert len(set(REASONS.values())) == len(REASONS)


def test_words_fit_a_line_and_print() -> None:
    for words in [*REASONS.values(), *CLOSE_REASONS.values()]:
        assert 0 < len(words) < 120
        assert words.isprintable()
        assert words == words.strip()


def test_a_code_is_its_string() -> None:
    assert f"{RefusalCode.BAD_JSON}" == "bad_json"
    assert f"{Reason.LINE}" == "line"


def test_every_close_has_words_of_its_own() -> None:
    assert list(CLOSE_REASONS) == list(CloseCode)
    assert len(set(CLOSE_REASONS.values())) == len(CLOSE_REASONS)
