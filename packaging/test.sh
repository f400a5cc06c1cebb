#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds Cannery and runs every test. Safe to repeat. Where TensorFlow 2.15
# or Clang 14 cannot be had, as on Debian 13, what needs them is left out: each part is named with its
# reason, and their number is printed at the end.
#   packaging/test.sh            everything (what continuous integration runs)
#   packaging/test.sh -R regex   only the tests whose name matches (arguments go to ctest)
set -euo pipefail
cd "$(dirname "$0")/.."

all=2
[ $# -gt 0 ] || all=5
steps=()
began=()
# say STEP TEXT: prints the current step and the minutes elapsed.
say() {
  echo "[$1 of $all, minute $((SECONDS / 60))] $2"
  steps+=("$2")
  began+=("$SECONDS")
}
# print_minutes: how long each step took.
print_minutes() {
  local i end
  began+=("$SECONDS")
  echo
  echo "Minutes"
  for i in "${!steps[@]}"; do
    end="${began[$((i + 1))]}"
    awk -v seconds=$((end - began[i])) -v step="${steps[$i]}" \
      'BEGIN { printf "%6.1f  %s\n", seconds / 60, step }'
  done
  awk -v seconds="$SECONDS" 'BEGIN { printf "%6.1f  all of it\n", seconds / 60 }'
}

left_out=0
# needs PROGRAM PART: whether it is there; otherwise says that the part is left out.
needs() {
  command -v "$1" >/dev/null && return
  leave_out "$2" "needs $1, which Debian has in release 12 only"
  return 1
}
# leave_out PART REASON
leave_out() {
  echo "Left out: $1 ($2)."
  left_out=$((left_out + 1))
}

say 1 "Installing what is missing; building the programs and their tests"
packaging/install_dependencies.sh test
status=0
CANNERY_TENSORFLOW_PYTHON="$(packaging/tensorflow_environment.sh)" || status=$?
case "$status" in
  0) export CANNERY_TENSORFLOW_PYTHON ;;
  3) leave_out tst_interop "TensorFlow 2.15 needs Python 3.9, 3.10 or 3.11" ;;
  *) exit "$status" ;;
esac
export PATH="/usr/bin:$PATH"
export QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 TF_CPP_MIN_LOG_LEVEL=2
# Qt ends a test function after five minutes, which a busy machine may need; ctest's limits remain.
export QTEST_FUNCTION_TIMEOUT=1200000
if needs clang-format-14 "the check of the format"; then
  packaging/check_format.sh
fi
cmake --preset ci >/dev/null
packaging/build.sh ci all

say 2 "Running the tests"
# Three at a time: most wait for a process, a clock or a picture about as often as they compute.
ctest --preset ci -j 3 "$@"

if [ $# -eq 0 ]; then
  say 3 "Checking the subjects of commits; linting changed files"
  packaging/check_commits.sh
  if needs clang-tidy-14 "the linter"; then
    packaging/lint.sh --limit 8
  fi

  # The tests of parsers again under AddressSanitizer and UndefinedBehaviorSanitizer, and fuzzed with
  # coverage guidance; the tests of threads under ThreadSanitizer.
  say 4 "Parsers under AddressSanitizer, and fuzzing"
  if needs clang++-14 "fuzzing"; then
    cmake --preset fuzz >/dev/null
    packaging/build.sh fuzz tests_that_read_bytes fuzz_targets
    ctest --preset fuzz -L reads_bytes -j 2
    tests/fuzz/run.sh --same 8
  else
    cmake --preset asan -DCANNERY_WORKBENCH=OFF >/dev/null
    packaging/build.sh asan tests_that_read_bytes
    ctest --preset asan -L reads_bytes -j 2
  fi

  say 5 "Threads under ThreadSanitizer"
  cmake --preset tsan >/dev/null
  packaging/build.sh tsan tests_of_threads
  ctest --preset tsan -L threads -j 2
  print_minutes
  if [ "$left_out" -eq 0 ]; then
    echo "Everything passed."
  else
    echo "Everything else passed; parts left out: $left_out."
  fi
elif [ "$left_out" -gt 0 ]; then
  echo "Parts left out: $left_out."
fi
