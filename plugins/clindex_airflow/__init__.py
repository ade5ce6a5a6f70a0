"""What Clindex's DAG files share. On ``sys.path`` because Airflow puts its plugins folder there."""
