#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lists the C++ sources that do not follow .clang-format, and fails if there are any.
#   packaging/check_format.sh         checks (a few seconds)
#   packaging/check_format.sh --fix   formats them
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(--dry-run --Werror --ferror-limit=1)
if [ "${1:-}" = --fix ]; then
  mode=(-i)
fi
if ! find app core kernels storage tests ui \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
    xargs -0 -n 50 -P "$(nproc)" clang-format-14 "${mode[@]}"; then
  echo "Format these sources with 'packaging/check_format.sh --fix'." >&2
  exit 1
fi
