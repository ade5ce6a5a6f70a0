"""Every job without Airflow."""
