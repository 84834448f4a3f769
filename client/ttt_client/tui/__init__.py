"""The full screen: pure folding and drawing, and a thin shell of `prompt_toolkit` around them.

screen ── what was heard          inputs ── what the player is about to do
   └──────────────┬────────────────┘
layout, panel, board, marks ── draw both on a canvas: lines of styled text, and what a click means
keys ── what a key means: lines, as in plain mode
app ── the shell: terminal, time; show ── the commands on it
"""
