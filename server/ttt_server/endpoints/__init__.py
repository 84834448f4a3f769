"""Requests and the endpoints that answer them."""
