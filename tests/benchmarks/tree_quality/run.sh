#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Boosted trees with `histogram {}` beside LightGBM, XGBoost and CatBoost on held rows: AUC and
# predicted rows a second; prints the table of README.md. Makes the environment in
# ~/.cache/cannery/benchmarks.
#   tests/benchmarks/tree_quality/run.sh [--data FOLDER] [--only NAME,…] [--splits N] [--threads N]
#                                        [--seconds S]
#   CANNERY_BENCHMARK_BUILD   a built tree to take (default: build/release)
set -euo pipefail
cd "$(dirname "$0")/../../.."
python="$(tests/benchmarks/environment.sh lightgbm xgboost catboost scikit-learn pandas)"
build="${CANNERY_BENCHMARK_BUILD:-$PWD/build/release}"
export CANNERY="$build/app/cannery/cannery"
export CANNERY_BENCHMARK="$build/tests/benchmarks/cannery_benchmark"
export PYTHONDONTWRITEBYTECODE=1
exec "$python" tests/benchmarks/tree_quality/tree_quality.py "$@"
