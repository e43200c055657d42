"""Breaking `ao evolve` on purpose: a fake agent, a person, faults, and an oracle that counts every byte."""
