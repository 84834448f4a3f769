"""Programs that play: what is said to them over a pipe and heard from them. Pure.

A pipe has a shell around it that starts the program, reads, writes, and keeps the time: one for
asyncio in `ttt_client`, a blocking one in `ttt_server`. Both hand every byte to a `Conversation`.

    language       what is said: a question, an answer, and how they are understood
    failures       what a program may do wrong, with a name each
    conversation   bytes in, bytes out, in either language
    words, gomocup the two languages: lines of JSON, and the protocol of Gomocup
"""
