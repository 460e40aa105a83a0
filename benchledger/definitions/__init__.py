"""What people extend: formats, names, rules, queries, migrations and vocabulary, found and read."""
