#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds Cannery and runs every test. Safe to repeat.
#   packaging/test.sh            everything (what continuous integration runs)
#   packaging/test.sh -R regex   only the tests whose name matches (arguments go to ctest)
set -euo pipefail
cd "$(dirname "$0")/.."

all=2
[ $# -gt 0 ] || all=5
# say STEP TEXT: prints the current step and the minutes elapsed.
say() { echo "[$1 of $all, minute $((SECONDS / 60))] $2"; }

say 1 "Installing what is missing; building the programs and their tests"
packaging/install_dependencies.sh test
CANNERY_TENSORFLOW_PYTHON="$(packaging/tensorflow_environment.sh)"
export CANNERY_TENSORFLOW_PYTHON
export PATH="/usr/bin:$PATH"
export QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 TF_CPP_MIN_LOG_LEVEL=2
packaging/check_format.sh
cmake --preset ci >/dev/null
packaging/build.sh ci all

say 2 "Running the tests"
# Two at a time: most wait for a process, a clock or a picture about as often as they compute.
ctest --preset ci -j 2 "$@"

if [ $# -eq 0 ]; then
  say 3 "Linting changed files"
  packaging/lint.sh --limit 8

  # The tests of parsers again under AddressSanitizer and UndefinedBehaviorSanitizer, and fuzzed with
  # coverage guidance; the tests of threads under ThreadSanitizer.
  say 4 "Parsers under AddressSanitizer, and fuzzing"
  cmake --preset fuzz >/dev/null
  packaging/build.sh fuzz tests_that_read_bytes fuzz_targets
  ctest --preset fuzz -L reads_bytes -j 2
  tests/fuzz/run.sh --same 8

  say 5 "Threads under ThreadSanitizer"
  cmake --preset tsan >/dev/null
  packaging/build.sh tsan tests_of_threads
  ctest --preset tsan -L threads -j 2
  echo "Everything passed in $((SECONDS / 60)) minutes."
fi
