#!/usr/bin/env bash
# Runs once, when PostgreSQL's volume is new: two databases with an owner each, so that Airflow's metadata user cannot read the truth.
set -euo pipefail

make_database() { # make_database NAME
    psql --set ON_ERROR_STOP=1 --set name="$1" --set password="$(cat "/run/secrets/$1_db_password")" \
        --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE :"name" LOGIN PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name";
REVOKE CONNECT, TEMPORARY ON DATABASE :"name" FROM PUBLIC;
SQL
}

make_database airflow
make_database clindex
