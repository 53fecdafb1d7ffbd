"""Data sets: from where they come to what a fold is given.

`origins` finds what a string names, in `files`, among `generators` or elsewhere; `datasets` makes
`Dataset` of it by the rules of `columns`; `preprocessing` prepares it for learners, and
`metafeatures` says what it is like.
"""
