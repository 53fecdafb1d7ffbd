"""Finished jobs, kept: `store` is the door; `database`, `schema`, `locks` and `rows` are behind it.

`reading` makes tables of what is kept.
"""
