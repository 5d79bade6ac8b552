"""How much each known model writes in one reply."""
from __future__ import annotations

from functools import lru_cache

# Tokens; the longest prefix of the model's name decides, MAX_TOKENS overrides it, an unknown model is sent no limit. OpenAI's reasoning
# models are left out on purpose: their limit includes the reasoning, and all of it is counted against the rate limit in advance.
MODEL_MAX_TOKENS: dict[str, int] = {
    "claude-3-haiku": 4096, "claude-3-opus": 4096, "claude-3-5": 8192, "claude-3-7": 64000, "claude-haiku-4-5": 64000,
    "claude-opus-4": 32000, "claude-opus-4-5": 64000, "claude-sonnet-4": 64000, "claude-sonnet-4-5": 64000,
    "deepseek-chat": 8192, "deepseek-reasoner": 64000, "gemini-1.5": 8192, "gemini-2.0": 8192, "gemini-2.5": 65536,
    "glm-4-": 4095, "glm-4.5": 96000, "glm-4.6": 128000, "gpt-3.5-turbo": 4096, "gpt-4-": 4096, "gpt-4.1": 32768, "gpt-4o": 16384,
    "kimi-k2": 32768, "moonshot-v1-8k": 4096, "moonshot-v1": 8192, "qwen-max": 8192, "qwen-plus": 8192, "qwen-turbo": 8192,
    "qwen3-max": 32768}


@lru_cache(maxsize=8)
def max_tokens_of(model: str) -> int | None:
    """The table's limit for a model, by its longest prefix; a provider's path before the name is ignored. None: unknown."""
    name = model.rpartition("/")[2].lower()
    found = max((prefix for prefix in MODEL_MAX_TOKENS if name.startswith(prefix)), key=len, default=None)
    return None if found is None else MODEL_MAX_TOKENS[found]
