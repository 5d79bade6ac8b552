"""The surfaces: one module or package each. They import core; core imports none of them."""
