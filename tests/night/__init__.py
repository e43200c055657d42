"""Eight hours in a minute: the real loop on a real repository, with a clock that jumps over waiting and over agents' work."""
