"""What has been kept long enough, by rules that are data."""
