#!/bin/sh
# The tests drive a real browser and a real PostgreSQL server: install what is missing, or say what it is.
set -eu

missing=
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
  || [ -n "${COROLLARY_CHROMIUM:-}" ] || missing="$missing chromium"
command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
[ -n "$missing" ] || exit 0

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  echo "installing$missing (a minute or so, once)"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null && exit 0
fi
echo "The tests need$missing. Install it from your system's packages, for instance: sudo apt-get install$missing" >&2
exit 1
