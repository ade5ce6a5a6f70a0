"""Questions of medics against EMS protocols: the right document first, the dosing passage first, by kind of question."""
