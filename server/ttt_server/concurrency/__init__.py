"""asyncio building blocks without any domain word."""
