"""The full screen: pure folding and drawing, and a thin shell of `prompt_toolkit` around them.

model/screen ── what the messages said     model/input ── what the player is about to do
          └──────────────────────┬──────────────────────────┘
draw ── draws both on a canvas: styled lines, and the meaning of clicks
model/keymap ── what a key means: lines, as in plain mode
scenes ── a room, the list of rooms, a recorded game: state, drawing and keys in one object
app ── the shell: terminal and time     runner ── the commands on it
"""
