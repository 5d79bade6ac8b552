"""The agent's kernel: protocol, endpoint, skills, workspace and loop. It never prints and imports no surface and no skill."""
