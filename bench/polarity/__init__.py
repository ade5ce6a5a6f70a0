"""Minimal pairs: two studies that differ in the sense of one criterion, and how often the one with the wrong sense ranks first."""
