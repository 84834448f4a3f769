"""The log on standard error: lines for people, or JSON objects for programs."""

import json
import logging
import sys
import time
from typing import Literal

from ttt_protocol.text import clean


class TextFormatter(logging.Formatter):
    """One line of text; nothing in it can move a terminal's cursor."""

    def format(self, record: logging.LogRecord) -> str:
        lines = super().format(record).split("\n")
        return "\n".join(clean(line) for line in lines)


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields)


def set_up(form: Literal["text", "json"], level: str) -> None:
    """Sends what the programs logs to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    text = TextFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.setFormatter(JsonFormatter() if form == "json" else text)
    logging.basicConfig(level=level.upper(), handlers=[handler])
    # The library tells of every connection, and of peers' faults as its own errors.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
