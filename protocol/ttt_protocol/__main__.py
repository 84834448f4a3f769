"""`python -m ttt_protocol FOLDER` writes the protocol's documents there, as `docs` has them."""

import argparse
from pathlib import Path

from ttt_protocol.asyncapi import asyncapi_document
from ttt_protocol.codec import encode_document
from ttt_protocol.schema import protocol_schema

parser = argparse.ArgumentParser(
    prog="python -m ttt_protocol", description="Writes the protocol's documents."
)
parser.add_argument("folder", type=Path, metavar="FOLDER", help="made if it is not there")
folder = parser.parse_args().folder
folder.mkdir(parents=True, exist_ok=True)
(folder / "protocol.schema.json").write_bytes(encode_document(protocol_schema()))
(folder / "asyncapi.json").write_bytes(encode_document(asyncapi_document()))
