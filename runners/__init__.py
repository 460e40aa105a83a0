"""Thin scripts that train and print; they meet the engine through the text that they leave in the staging folder."""
