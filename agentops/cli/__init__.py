"""What a person types: one module a command; parse, call, print."""
