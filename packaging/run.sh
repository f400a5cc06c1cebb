#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing and builds Cannery. With a display, opens the workbench on the Titanic
# sample; without one, builds only the command line and trains the sample with it.
# Safe to repeat. Works from any folder, on Debian 12 and 13, as root or with sudo.
#   CANNERY_PROJECT   the sample project's folder (default: build/titanic)
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  packages=build window=ON targets=(cannery cannery-workbench) what="the engine and the window"
else
  packages=engine window=OFF targets=(cannery) what="the engine (no display: no window)"
fi
say() { echo "[$1 of 3] $2"; }

say 1 "Installing what is missing"
packaging/install_dependencies.sh "$packages"
export PATH="/usr/bin:$PATH"

say 2 "Building $what"
cmake --preset release -DCANNERY_TESTS=OFF -DCANNERY_WORKBENCH=$window >/dev/null
packaging/build.sh release "${targets[@]}"

cannery="$PWD/build/release/app/cannery/cannery"
workbench="$PWD/build/release/app/workbench/cannery-workbench"
project="${CANNERY_PROJECT:-$PWD/build/titanic}"
mkdir -p "$project"
for file in titanic.cannery titanic_train.csv titanic_eval.csv; do
  [ -e "$project/$file" ] || cp "resources/examples/titanic/$file" "$project/"
done

# With sudo, the window runs as the user, not as root.
as_person=()
if [ "$(id -u)" -eq 0 ] && [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ]; then
  chown -R "$SUDO_USER": "$project"
  person_id="$(id -u "$SUDO_USER")"
  as_person=(sudo -u "$SUDO_USER" -H env "PATH=$PATH" "XDG_RUNTIME_DIR=/run/user/$person_id")
  for name in DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS; do
    [ -z "${!name:-}" ] || as_person+=("$name=${!name}")
  done
fi

if [ $window = ON ]; then
  say 3 "Opening $project in the workbench"
  status=0
  "${as_person[@]}" "$workbench" "$project" || status=$?
  # Qt aborts if the display cannot be reached.
  [ "$status" -ge 128 ] || exit "$status"
  echo "The window could not be shown (status $status)." >&2
fi
say 3 "Training $project/titanic.cannery"
exec "${as_person[@]}" "$cannery" train "$project/titanic.cannery"
