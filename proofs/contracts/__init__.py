"""Contracts on the leaf decisions, confirmed over all paths by CrossHair; `confirm.py` runs them."""
