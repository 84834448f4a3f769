"""Run strategies, in this process or in worker processes.

`runner` decides where, `process_pool` owns the processes, and `worker` is their program. `plugins`
fixes the AI seats of a room, and probes strategies of other packages; `evaluations`
has positions and finished games evaluated on request.
"""
