"""Text to text: what is private is replaced by keyed pseudonyms. No database, no files."""
