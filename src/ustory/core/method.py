"""The version of the method: which stories the same articles give."""

METHOD = 3
"""Raised whenever the same articles, with the same settings, may give other stories.

States and databases say with which version they were made. They go on under another,
but slides that were done before come out the same only under their own.

1 is that of release 0.1.0; since 2 blanks and control characters of texts are
normalised before sentences are split; since 3 links are read against the best of their
articles, groups that are as alike between as inside are one story and groups that a few
articles hold together are two, page furniture weighs nothing, what stood in a story is
not let go, new texts of articles are linked anew, articles without a language, or with
a wrong one, are read in theirs, and in mode `paper` an article
without a keyword is its plain mean, with `ThemSentConc` too.
"""
