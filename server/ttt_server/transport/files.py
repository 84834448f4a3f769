"""How many files the system lets this process have open: each connection is one."""

import logging
import resource

logger = logging.getLogger(__name__)

_RESERVED = 64
"""For the database, the log, the processes that think, and those who are just turned away."""


def room_for(connections: int) -> int:
    """So many connections, or as many as there may be files; asks for more files if need be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _RESERVED
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return connections
    fewer = soft - min(_RESERVED, soft // 2)
    logger.warning("there may be %d files: no more than %d connections are let in", soft, fewer)
    return fewer
