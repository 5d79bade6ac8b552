"""How the client in core/llm.py talks to an endpoint: connection, request body, stream, what an endpoint can do, what its errors mean."""
