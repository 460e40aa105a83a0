"""Compressed files and archives as streams of members; knows bytes and names, no logs and no database."""
