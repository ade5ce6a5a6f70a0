# syntax=docker/dockerfile:1
# Clindex with Airflow: the api-server, scheduler, dag-processor, triggerer, Celery worker and init of docker-compose.yaml.
ARG PYTHON_IMAGE=python:3.11.14-slim-bookworm

# --- builder: the locked packages, the project, the verified model ------------------------------------------------------------------
FROM ${PYTHON_IMAGE} AS builder
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
WORKDIR /build
RUN python -m venv /opt/clindex/venv
ENV PATH=/opt/clindex/venv/bin:$PATH

# Names an index of CPU builds of torch; without it pip may take a CUDA build, which is several GB larger.
ARG TORCH_INDEX_URL=""
COPY scripts/pip-install scripts/pip-install
COPY requirements-image.lock ./
RUN scripts/pip-install /opt/clindex/venv requirements-image.lock /tmp/install.log

COPY pyproject.toml README.md LICENSE NOTICE ./
COPY pipeline pipeline
COPY schemas/expectations schemas/expectations
RUN pip install --no-cache-dir --no-deps --no-build-isolation .

# Every home uses this export (CLINDEX_MODELS_PATH); `clindex init` verifies it and need not make its own.
COPY scripts/export-model scripts/export-model
RUN scripts/export-model /opt/clindex

# --- the image ----------------------------------------------------------------------------------------------------------------------
FROM ${PYTHON_IMAGE}
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]

COPY scripts/system-packages.txt scripts/install-system-packages /opt/clindex/scripts/
RUN CLINDEX_REQUIRE_SYSTEM_PACKAGES=1 /opt/clindex/scripts/install-system-packages \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 50000 --gid 0 --create-home --home-dir /home/clindex clindex \
    && mkdir -p /var/lib/clindex /var/lib/airflow/logs \
    && chown -R 50000:0 /var/lib/clindex /var/lib/airflow \
    && chmod 0700 /var/lib/clindex

COPY --from=builder /opt/clindex /opt/clindex
COPY scripts/airflow-part /opt/clindex/scripts/
COPY docker/entrypoint docker/healthcheck /opt/clindex/docker/
COPY dags /opt/clindex/dags
COPY plugins /opt/clindex/plugins

ENV PATH=/opt/clindex/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    OMP_THREAD_LIMIT=1 \
    CLINDEX_HOME=/var/lib/clindex \
    CLINDEX_MODELS_PATH=/opt/clindex/models \
    AIRFLOW_HOME=/var/lib/airflow \
    AIRFLOW__CORE__DAGS_FOLDER=/opt/clindex/dags \
    AIRFLOW__CORE__PLUGINS_FOLDER=/opt/clindex/plugins \
    AIRFLOW__CORE__LOAD_EXAMPLES=False \
    AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_STORAGE_PATH=/var/lib/airflow/bundles
WORKDIR /opt/clindex
USER 50000:0
VOLUME ["/var/lib/clindex"]
EXPOSE 8080

HEALTHCHECK --interval=30s --timeout=30s --start-period=120s --retries=5 CMD ["/opt/clindex/docker/healthcheck", "api-server"]
ENTRYPOINT ["/opt/clindex/docker/entrypoint"]
CMD ["scripts/airflow-part", "api-server"]
