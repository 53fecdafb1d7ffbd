"""What releases need; `make` calls it, and nothing imports it but tests."""
