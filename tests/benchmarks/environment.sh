#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the virtual environment of the peers that are not TensorFlow, outside the source tree, and
# prints its Python. A peer that cannot be installed is left out, with a sentence. Safe to repeat.
#   tests/benchmarks/environment.sh [PACKAGE…]   these packages only (default: all)
#   CANNERY_PEERS_ENV   where it stands (default: ~/.cache/cannery/benchmarks/peers)
set -euo pipefail

environment="${CANNERY_PEERS_ENV:-${XDG_CACHE_HOME:-$HOME/.cache}/cannery/benchmarks/peers}"
peers=(scikit-learn pandas polars pyarrow vowpalwabbit lightgbm xgboost catboost ydf torch)
if [ $# -gt 0 ]; then
  peers=("$@")
fi

mkdir -p "$(dirname "$environment")"
exec 9>"$environment.lock"
flock 9 # somebody else may be making it

if [ ! -x "$environment/bin/python" ]; then
  for candidate in python3.11 python3.12 python3.10 python3 /usr/bin/python3; do
    if command -v "$candidate" >/dev/null && "$candidate" -c 'import venv, ensurepip' 2>/dev/null; then
      "$candidate" -m venv "$environment" >&2 && break
    fi
  done
fi
for peer in "${peers[@]}"; do
  if [ ! -e "$environment/tried-$peer" ]; then
    echo "Installing $peer from PyPI into $environment" >&2
    "$environment/bin/python" -m pip install -q --disable-pip-version-check "$peer" >&2 ||
      echo "$peer cannot be installed here; its column stays empty." >&2
    touch "$environment/tried-$peer"
  fi
done
echo "$environment/bin/python"
