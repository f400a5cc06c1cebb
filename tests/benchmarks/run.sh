#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the release, makes the environments of the peers and the tables outside the source tree,
# races Cannery against every peer that is installed and prints the table of README.md.
#   tests/benchmarks/run.sh [--rounds N] [--minutes M] [--only WORK,…] [--peers none|all|WORD,…]
#                           [--quick] [--curves] [--simulation] [--instructions] [--json FILE] [--write-readme]
#   tests/benchmarks/run.sh --prepare        builds, downloads and makes tables, and races nothing
#   CANNERY_BENCHMARK_CACHE   environments and tables (default: ~/.cache/cannery/benchmarks)
#   CANNERY_BENCHMARK_BUILD   a built release to take instead of building build/release
set -euo pipefail
cd "$(dirname "$0")/../.."
export BENCHMARK_CACHE="${CANNERY_BENCHMARK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cannery/benchmarks}"
mkdir -p "$BENCHMARK_CACHE"

build="${CANNERY_BENCHMARK_BUILD:-}"
if [ -z "$build" ]; then
  packaging/install_dependencies.sh test
  build="$PWD/build/release"
  PATH="/usr/bin:$PATH" cmake --preset release -DCANNERY_TESTS=ON -DCANNERY_WORKBENCH=ON >/dev/null
  PATH="/usr/bin:$PATH" cmake --build --preset release \
    --target cannery cannery_benchmark event_load_benchmark -- --quiet >&2
fi
export CANNERY="$build/app/cannery/cannery"
export CANNERY_BENCHMARK="$build/tests/benchmarks/cannery_benchmark"
export EVENT_LOAD_BENCHMARK="$build/tests/benchmarks/event_load_benchmark"

python=python3
if [[ " $* " == *" --instructions "* ]] && ! command -v valgrind >/dev/null; then
  echo "Counting instructions needs valgrind (Debian package valgrind)." >&2
  exit 1
fi
if [[ " $* " != *" --peers none "* && " $* " != *" --curves "* && " $* " != *" --simulation "* \
    && " $* " != *" --instructions "* ]]; then
  TENSORFLOW_PYTHON="$(packaging/tensorflow_environment.sh)" || TENSORFLOW_PYTHON=""
  PEERS_PYTHON="$(tests/benchmarks/environment.sh)" || PEERS_PYTHON=""
  export TENSORFLOW_PYTHON PEERS_PYTHON
fi
export PYTHONDONTWRITEBYTECODE=1 TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES=""
exec "$python" tests/benchmarks/harness/benchmarks.py "$@"
