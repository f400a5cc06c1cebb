#!/usr/bin/env bash
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

cmake --preset ci
cmake --build --preset ci
ctest --preset ci "$@"

if [ $# -eq 0 ]; then
  # What reads bytes, once more under AddressSanitizer and UndefinedBehaviorSanitizer.
  cmake --preset asan
  cmake --build --preset asan --target tests_that_read_bytes
  ctest --preset asan -L reads_bytes
fi
