#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `cannery new` and `train` on every table that ships with some Python packages; prints what became
# of each and the share that trains. Packages and the environment go to ~/.cache/cannery/benchmarks.
#   tests/benchmarks/tables/run.sh [--only GLOB] [--folder FOLDER]… [--jobs N] [--verdicts FILE]
#   CANNERY   the program that is judged (default: build/release/app/cannery/cannery)
set -euo pipefail
cd "$(dirname "$0")/../../.."
python="$(tests/benchmarks/environment.sh pandas)"
export CANNERY="${CANNERY:-$PWD/build/release/app/cannery/cannery}"
export PYTHONDONTWRITEBYTECODE=1
exec "$python" tests/benchmarks/tables/sweep.py "$@"
