"""How core/protocol.py reads a reply: strict and lenient JSON, the search for the deciding object, the shapes an action comes in."""
