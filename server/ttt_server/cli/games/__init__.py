"""`ttt-server export` and `ttt-server import`: the games of rooms as a file, and back.

`docs/exports.md` describes the file; `ttt_protocol.exports` reads and writes it.
"""
