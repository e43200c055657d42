"""Records, enums, errors and protocols that two rooms or more share. No effects; imports nothing of ours."""
