"""Write the protocol's documents into a folder: `python -m ttt_protocol docs`."""

import argparse
from pathlib import Path

from ttt_protocol.asyncapi import asyncapi_document
from ttt_protocol.codec import encode_document
from ttt_protocol.schema import export_schema, protocol_schema
from ttt_protocol.typescript import typescript

parser = argparse.ArgumentParser(
    prog="python -m ttt_protocol", description="Write the protocol's documents."
)
parser.add_argument("folder", type=Path, metavar="FOLDER", help="created if it does not exist")
folder = parser.parse_args().folder
folder.mkdir(parents=True, exist_ok=True)
(folder / "protocol.schema.json").write_bytes(encode_document(protocol_schema()))
(folder / "ttt.d.ts").write_text(typescript(protocol_schema()), encoding="utf-8")
(folder / "asyncapi.json").write_bytes(encode_document(asyncapi_document()))
(folder / "export.schema.json").write_bytes(encode_document(export_schema()))
