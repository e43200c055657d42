"""The workers `remedy` and `phases`: commands that mend, and agents in three phases."""
