#!/usr/bin/env bash
# Builds the release, makes the environment with the peers (TensorFlow 2.15.1, polars) outside the
# source tree, and prints the table of tests/benchmarks/README.md.
#   tests/benchmarks/run.sh [--rounds N] [--only NAME]
set -euo pipefail
cd "$(dirname "$0")/../.."
packaging/install_dependencies.sh test
python="$(packaging/tensorflow_environment.sh)"
"$python" -m pip install -q --disable-pip-version-check polars >&2
export PATH="/usr/bin:$PATH" TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES=""
cmake --preset release >/dev/null
cmake --build --preset release --target cannery csv_benchmark event_load_benchmark -- --quiet >&2
export CANNERY="$PWD/build/release/app/cannery/cannery"
export CSV_BENCHMARK="$PWD/build/release/tests/benchmarks/csv_benchmark"
export EVENT_LOAD_BENCHMARK="$PWD/build/release/tests/benchmarks/event_load_benchmark"
exec "$python" tests/benchmarks/benchmarks.py "$@"
