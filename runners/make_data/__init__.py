"""Makes training data of any size: from a seed, or from one's own text."""
