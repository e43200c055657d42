"""What the owner allows: the settings of a run and their defaults."""
