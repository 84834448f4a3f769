"""The client as a library: take a seat or watch with one `async with` and one `async for`.

`room` holds a place in a room and its turns, `errors` has what may go wrong. Programs import the
names from `ttt_client` itself.
"""
