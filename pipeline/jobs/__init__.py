"""Jobs put stages, storage and index together: one function per Airflow task or command."""
