"""How a request is matched with the phrases that skills declare: numerals, words, tokens, alignment."""
