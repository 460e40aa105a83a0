"""Drafts a format from logs that none knows: what repeats, what counts, what it may mean; every guess is a question."""
