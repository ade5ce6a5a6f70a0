"""Benchmarks of the main job. Each prints one JSON object; machines are noisy, so compare within one run and report ratios."""
