#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds Cannery and runs every test. Safe to repeat.
#   packaging/test.sh            everything (what continuous integration runs)
#   packaging/test.sh -R regex   only the tests whose name matches (arguments go to ctest)
set -euo pipefail
cd "$(dirname "$0")/.."

packaging/install_dependencies.sh test
CANNERY_TENSORFLOW_PYTHON="$(packaging/tensorflow_environment.sh)"
export CANNERY_TENSORFLOW_PYTHON
export PATH="/usr/bin:$PATH"
export QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 TF_CPP_MIN_LOG_LEVEL=2

packaging/check_format.sh
cmake --preset ci
cmake --build --preset ci
ctest --preset ci "$@"

if [ $# -eq 0 ]; then
  packaging/lint.sh --limit 8

  # What reads bytes, once more under AddressSanitizer and UndefinedBehaviorSanitizer, and with
  # inputs led by coverage; what works on several threads, under ThreadSanitizer.
  cmake --preset fuzz
  cmake --build --preset fuzz --target tests_that_read_bytes fuzz_targets
  ctest --preset fuzz -L reads_bytes
  tests/fuzz/run.sh --same 8
  cmake --preset tsan
  cmake --build --preset tsan --target tests_of_threads
  ctest --preset tsan -L threads
fi
