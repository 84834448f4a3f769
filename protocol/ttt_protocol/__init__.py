"""The words of `ttt.v1`: commands, messages, events, the nouns they share, and their JSON."""
