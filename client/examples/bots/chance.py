"""Plays a random legal cell, and makes a random choice in an opening."""

import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"cell": random.choice(message["legal"]), "reason": "chance"}), flush=True)
    elif message["type"] == "hello" and "variant" in message["rules"]:
        print(json.dumps({"variants": "*"}), flush=True)
    elif message["type"] == "choose":
        print(json.dumps({"choice": random.choice(message["choices"])}), flush=True)
