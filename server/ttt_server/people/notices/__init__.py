"""Notices: what persons are told while they are away, and how."""
