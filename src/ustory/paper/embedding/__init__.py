"""Theme- and time-aware representations of articles and stories (Def 3, 4)."""
