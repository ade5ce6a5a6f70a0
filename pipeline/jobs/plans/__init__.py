"""Repair plans: written, guarded, approved, carried out, undone. What is saved for undoing lies beside the plan."""
