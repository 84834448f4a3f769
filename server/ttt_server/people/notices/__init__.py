"""Notices: what persons are told while they are away, and the ways to tell them."""
