#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds targets of a configured preset and reports progress: on a terminal on one line that is
# updated, elsewhere on a line every half minute. Compiler messages are printed.
#   packaging/build.sh PRESET TARGET...
set -euo pipefail
cd "$(dirname "$0")/.."
preset="$1"
shift

on_terminal=0
[ -t 1 ] && on_terminal=1
NINJA_STATUS='%f %t %e|' cmake --build --preset "$preset" --target "$@" | awk -v tty="$on_terminal" '
  function duration(seconds) {
    if (seconds < 90) { return sprintf("%d seconds", seconds + 0.5) }
    return sprintf("%d minutes", seconds / 60 + 0.5)
  }
  match($0, /^[0-9]+ [0-9]+ [0-9.]+\|/) {
    split(substr($0, 1, RLENGTH - 1), part, " ")
    done = part[1]; all = part[2]; elapsed = part[3]
    text = sprintf("  %d of %d steps, %s", done, all, duration(elapsed))
    if (elapsed > 10 && done < all) {
      text = text sprintf(", about %s left", duration(elapsed / done * (all - done)))
    }
    if (tty) { printf "\r\033[K%s", text; shown = 1 }
    else if (elapsed >= next_line || done == all) { print text; next_line = elapsed + 30 }
    fflush()
    next
  }
  /^ninja: no work to do/ { next }
  { if (shown) { printf "\n"; shown = 0 } print; fflush() }
  END { if (shown) { printf "\n" } }'
