import json
from collections.abc import Iterator
from typing import Any

from ttt_protocol.asyncapi import asyncapi_document
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.schema import kinds, protocol_schema

DOCUMENT = asyncapi_document()
COMMANDS = [f"command.{type_}" for type_ in kinds("command")]
MESSAGES = [f"message.{type_}" for type_ in kinds("message")]


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from references(inner)


def at(reference: str) -> Any:
    found: Any = DOCUMENT
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found


def said(operation: str) -> list[str]:
    """The names of the schemas of an operation's messages, through all the references."""
    messages = [
        at(at(ref["$ref"])["$ref"]) for ref in DOCUMENT["operations"][operation]["messages"]
    ]
    return [message["payload"]["$ref"].split("/")[-1] for message in messages]


def test_every_reference_leads_somewhere() -> None:
    for reference in set(references(DOCUMENT)):
        assert reference.startswith("#/")
        assert at(reference)


def test_the_channels_are_those_of_the_contract() -> None:
    addresses = [channel["address"] for channel in DOCUMENT["channels"].values()]
    assert addresses == ["/ws/rooms/{room}", "/ws/lobby", "/ws/play"]


def test_a_server_receives_every_command_and_sends_every_message() -> None:
    seeking = ["message.paired", "message.ai_offered", "message.refused", "message.goodbye"]
    elsewhere = {
        *("message.rooms", "message.rooms_changed", "message.paired", "message.ai_offered"),
    }
    assert said("receiveCommand") == [name for name in COMMANDS if name != "command.seek"]
    assert said("sendMessage") == [name for name in MESSAGES if name not in elsewhere]
    assert said("sendRooms") == ["message.rooms", "message.rooms_changed", "message.goodbye"]
    assert said("receiveSeek") == ["command.seek"]
    assert said("sendPaired") == seeking


def test_a_message_says_its_type_and_what_it_is_for() -> None:
    for name, message in DOCUMENT["components"]["messages"].items():
        assert name.endswith(f".{message['name']}")
        assert message["title"]
        assert message["summary"]


def test_its_schemas_are_those_of_the_protocol() -> None:
    schemas = json.dumps(DOCUMENT["components"]["schemas"])
    same = json.dumps(protocol_schema()["$defs"]).replace("#/$defs/", "#/components/schemas/")
    assert schemas == same


def test_close_codes_and_refusal_codes_are_listed() -> None:
    assert list(DOCUMENT["x-close-codes"]) == [str(code.value) for code in CloseCode]
    assert list(DOCUMENT["x-refusal-codes"]) == [code.value for code in RefusalCode]
