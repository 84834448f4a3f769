"""`ttt-server arena`: let strategies play each other, without a network.

`command` reads the arguments, and has the games played in processes that run `worker`; `report`
writes the results. The games themselves stand in `ttt_engine.arena`.
"""
