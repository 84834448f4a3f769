"""Drawing of the full screen on a canvas. Pure."""
