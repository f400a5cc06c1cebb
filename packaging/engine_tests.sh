#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the engine and its unit and golden tests in the folder of a configured preset, and runs them.
#   packaging/engine_tests.sh PRESET             all of them
#   packaging/engine_tests.sh PRESET TEST...     only these test programs (tst_kernels, tst_golden)
#   CANNERY_WITHOUT   a regular expression of test programs to leave out
set -euo pipefail
cd "$(dirname "$0")/.."
preset="$1"
shift
tests=("$@")

if [ ${#tests[@]} -eq 0 ]; then
  # Unit tests, and results of real TensorFlow.
  mapfile -t tests < <(ninja -C "build/$preset" -t targets all |
    sed -nE 's/^(tst_(kernels|golden|(core|storage)_[a-z_]+)): phony$/\1/p' |
    grep -vE "${CANNERY_WITHOUT:-^$}" | sort)
  packaging/build.sh "$preset" cannery "${tests[@]}"
else
  packaging/build.sh "$preset" "${tests[@]}"
fi
ctest --test-dir "build/$preset" --output-on-failure -R "^($(IFS='|'; echo "${tests[*]}"))\$"
