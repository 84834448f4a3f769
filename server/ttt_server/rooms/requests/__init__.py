"""Requests to rooms that are beside the path of a change: hints, states, a strategy for a seat."""
