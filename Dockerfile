# An image of the labelling service: docker build -t corollary .
# How to run it, and compose.yaml beside it for one with PostgreSQL: docs/howto/docker.md

FROM python:3.11-slim-bookworm AS build
WORKDIR /build
COPY pyproject.toml MANIFEST.in README.md LICENSE CHANGELOG.md CITATION.cff constraints.txt ./
COPY src src
RUN python -m venv /opt/corollary \
    && /opt/corollary/bin/python -m pip install --no-cache-dir --constraint constraints.txt ".[postgres,tables,text]"

FROM python:3.11-slim-bookworm
RUN useradd --uid 10001 --create-home corollary \
    && install --directory --owner corollary --group corollary /data /cache
COPY --from=build /opt/corollary /opt/corollary
# Compiled kernels are kept in a volume, so that only the first start compiles them.
ENV PATH="/opt/corollary/bin:$PATH" \
    NUMBA_CACHE_DIR=/cache \
    PYTHONUNBUFFERED=1
USER 10001
WORKDIR /data
VOLUME ["/data", "/cache"]
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
ENTRYPOINT ["corollary"]
CMD ["serve", "campaign.sqlite", "--team", "--host", "0.0.0.0", "--port", "8000"]
