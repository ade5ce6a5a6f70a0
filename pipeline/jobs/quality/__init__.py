"""Data quality: suites of expectations in ``schemas/expectations/``, held against documents before they go live and against the home after."""
