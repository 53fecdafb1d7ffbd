"""The public contract: what every verb answers in JSON stays what scripts rely on."""
