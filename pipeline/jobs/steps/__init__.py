"""One function for each Airflow task, by DAG."""
