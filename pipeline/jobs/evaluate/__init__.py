"""Evaluation: judged queries asked as users ask them, measured, compared, and kept."""
