"""What core/guard_runner.py is made of: standard library only, no imports that cost start-up time, nothing of the agent."""
