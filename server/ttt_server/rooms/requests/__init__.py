"""What clients ask of rooms beside the path of a change: hints, states, a strategy for a seat."""
