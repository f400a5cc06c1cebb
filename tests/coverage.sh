#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which lines the tests take, counted by gcc's gcov: a table of all files, and a failure below 90 %;
# then the branches that they do not take in what publishes, finds and limits files (checkpoints,
# manifests, limits), for a developer to read: some are the compiler's own.
#
#     tests/coverage.sh [storage]
#
# All that is tested without the window, or only the storage by its own tests, in minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v gcovr >/dev/null; then
  echo "coverage: gcovr is not installed (Debian: gcovr)"
  exit 77
fi
export QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8
build=build/coverage
storage=(tst_storage_io tst_storage_runs tst_storage_sqlite tst_storage_tabular tst_storage_tf)
case "${1:-all}" in
  storage)
    targets=("${storage[@]}")
    rooms=(--filter storage/)
    strict=(storage/tf/checkpoint_ storage/tf/message_limits storage/io/atomic_write)
    ;;
  all)
    targets=(all)
    rooms=(--filter 'storage/' --filter 'core/' --filter 'kernels/' --filter 'app/')
    strict=(storage/tf/checkpoint_ storage/tf/message_limits storage/io/atomic_write
      core/train/checkpoints/checkpoint_ core/train/checkpoints/background_saver)
    ;;
  *)
    echo "usage: $0 [storage]" >&2
    exit 2
    ;;
esac

cmake --preset coverage >/dev/null
cmake --build $build --target "${targets[@]}"
find $build -name '*.gcda' -delete
tests=$(IFS='|'; echo "${targets[*]}")
[ "$tests" = all ] && tests=.
ctest --test-dir $build -R "^($tests)" --output-on-failure
gcovr=(gcovr --root . --object-directory $build --exclude-throw-branches
  --exclude-unreachable-branches -j "$(nproc)")
echo "coverage: branches of what publishes, finds and limits files"
"${gcovr[@]}" "${strict[@]/#/--filter=}" --branches --txt -
echo "coverage: lines"
"${gcovr[@]}" "${rooms[@]}" --txt - --fail-under-line 90
