#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Creates the virtual environment with real TensorFlow 2.15 for the interoperability tests and the
# benchmarks, outside the source tree, and prints the path of its Python. Safe to repeat. Exits with
# 3 if no Python here is one that it runs in.
#   CANNERY_TENSORFLOW_ENV   its folder (default: ~/.cache/cannery/tensorflow-2.15.1)
set -euo pipefail

environment="${CANNERY_TENSORFLOW_ENV:-${XDG_CACHE_HOME:-$HOME/.cache}/cannery/tensorflow-2.15.1}"

mkdir -p "$(dirname "$environment")"
exec 9>"$environment.lock"
flock 9 # another process may be creating it
if [ ! -f "$environment/complete" ]; then
  python=""
  for candidate in python3.11 python3.10 python3.9 python3 /usr/bin/python3; do
    if command -v "$candidate" >/dev/null &&
       "$candidate" -c 'import sys, venv, ensurepip; sys.exit(not (3, 9) <= sys.version_info[:2] <= (3, 11))' 2>/dev/null; then
      python="$candidate"
      break
    fi
  done
  if [ -z "$python" ]; then
    echo "TensorFlow 2.15 needs Python 3.9, 3.10 or 3.11 with its venv module; none was found." >&2
    exit 3
  fi
  echo "Installing tensorflow-cpu 2.15.1 from PyPI into $environment" >&2
  rm -rf "$environment"
  "$python" -m venv "$environment" >&2
  "$environment/bin/python" -m pip install -q --disable-pip-version-check \
    tensorflow-cpu==2.15.1 tensorflow-estimator==2.15.0 >&2
  touch "$environment/complete"
fi
echo "$environment/bin/python"
