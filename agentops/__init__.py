"""`ao`: an autonomous supervisor for code. Start reading at `agentops/evolve/supervisor.py`."""

__version__ = "0.1.0"
