#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `cannery new`, `train` and `evaluate` on held rows beside scikit-learn; prints the table of
# README.md. Makes the environment in ~/.cache/cannery/benchmarks, where the peers' scores stay, too.
#   tests/benchmarks/first_model/run.sh [--set named|made|all] [--only NAME,…] [--jobs N]
#                                       [--data FOLDER] [--json FILE] [--keep FOLDER]
#                                       [--race catboost,autogluon]
#   CANNERY   the program that is measured (default: build/release/app/cannery/cannery)
set -euo pipefail
cd "$(dirname "$0")/../../.."
peers=(scikit-learn pandas)
case " $* " in *catboost*) peers+=(catboost) ;; esac
case " $* " in
  *autogluon*) # it holds other packages back, so it has an environment of its own
    peers+=("autogluon.tabular[all]")
    export CANNERY_PEERS_ENV="${XDG_CACHE_HOME:-$HOME/.cache}/cannery/benchmarks/autogluon" ;;
esac
python="$(tests/benchmarks/environment.sh "${peers[@]}")"
export CANNERY="${CANNERY:-$PWD/build/release/app/cannery/cannery}"
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
exec "$python" tests/benchmarks/first_model/first_model.py "$@"
