"""Plays a random legal cell."""

import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"cell": random.choice(message["legal"]), "reason": "chance"}), flush=True)
