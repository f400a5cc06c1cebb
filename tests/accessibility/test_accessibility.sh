#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-only
# test_accessibility.sh CLIENT WORKBENCH CANNERY EXAMPLES: an accessibility client on a private bus
# and a virtual display.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"

fail() { echo "FAIL: $*" >&2; exit 1; }
for tool in dbus-run-session Xvfb; do
  command -v "$tool" >/dev/null || fail "$tool is missing; packaging/install_dependencies.sh test"
done
/usr/bin/python3 -c 'import gi; gi.require_version("Atspi", "2.0"); from gi.repository import Atspi' ||
  fail "Python has no AT-SPI; packaging/install_dependencies.sh test"

runtime="$(mktemp -d)"
trap 'rm -rf "$runtime"' EXIT
chmod 700 "$runtime"
export XDG_RUNTIME_DIR="$runtime"
unset WAYLAND_DISPLAY QT_QPA_PLATFORM AT_SPI_BUS_ADDRESS DBUS_SESSION_BUS_ADDRESS
# The server itself finds a free number, so that two tests at once do not race; and it stays as it
# is when a first client (the accessibility bus) goes.
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp -noreset 3>"$runtime/display" 2>"$runtime/xvfb.log" &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; rm -rf "$runtime"' EXIT
for _ in $(seq 600); do
  [ -s "$runtime/display" ] && break
  kill -0 "$server" 2>/dev/null || { cat "$runtime/xvfb.log"; fail "Xvfb ended"; }
  sleep 0.1
done
DISPLAY=":$(cat "$runtime/display")"
export DISPLAY
client="$1"
shift
dbus-run-session -- /usr/bin/python3 -B "$here/$client" "$@"
