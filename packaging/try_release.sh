#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries Cannery on another release of Debian, in a folder made of its packages: runs run.sh without a
# display (builds the engine, trains the sample), then the engine's unit and golden tests. As root or
# with sudo; needs mmdebstrap and a Debian mirror (2 GB). Safe to repeat: what is built stays.
#   packaging/try_release.sh trixie                 everything
#   packaging/try_release.sh trixie --window        also builds the window, and opens and closes it
#   packaging/try_release.sh trixie TEST...         in place of all tests only these programs
#   CANNERY_RELEASE_ROOT   the folder (default: build/RELEASE)
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -eq 0 ] || [[ "$1" == -* ]]; then
  echo "usage: $0 RELEASE [--window] [TEST...]" >&2
  exit 2
fi
if [ "$(id -u)" -ne 0 ]; then
  exec sudo --preserve-env=CANNERY_RELEASE_ROOT "$0" "$@"
fi
release="$1"
shift
window=0
if [ "${1:-}" = --window ]; then
  window=1
  shift
fi
root="$(realpath -m "${CANNERY_RELEASE_ROOT:-build/$release}")"
if ! command -v mmdebstrap >/dev/null; then
  echo "Missing: apt-get install --no-install-recommends mmdebstrap" >&2
  exit 1
fi

if [ ! -f "$root/complete" ]; then
  echo "Unpacking Debian's release $release into $root"
  rm -rf "$root"
  mkdir -p "$(dirname "$root")"
  # The mirror that this machine uses.
  mirror="$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
    grep -m 1 -E '/debian/?$' || echo http://deb.debian.org/debian)"
  mmdebstrap --quiet --variant=apt --include=ca-certificates,tar "$release" "$root" "$mirror"
  touch "$root/complete"
fi

# The files of this checkout as they are, without what is built here. Times are kept: only what has
# changed since the last try is compiled again.
mkdir -p "$root/cannery"
find "$root/cannery" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
git -c safe.directory="$PWD" ls-files -z --cached --others --exclude-standard --deduplicate |
  tar --create --null --ignore-failed-read --files-from=- | tar --extract --directory="$root/cannery"
cp /etc/resolv.conf "$root/etc/resolv.conf"

# In a namespace of its own, so that nothing stays mounted.
commands='set -euo pipefail
cd /cannery
packaging/run.sh
packaging/install_dependencies.sh build # the tests need Qt
cmake --preset release -DCANNERY_TESTS=ON >/dev/null
packaging/engine_tests.sh release "$@"'
if [ $window = 1 ]; then
  commands+='
cmake --preset release -DCANNERY_WORKBENCH=ON >/dev/null
packaging/build.sh release cannery-workbench
echo "Opening and closing the window"
status=0
QT_QPA_PLATFORM=offscreen timeout 10 build/release/app/workbench/cannery-workbench build/titanic ||
  status=$?
[ "$status" = 124 ] # it was open until it was stopped'
fi
# shellcheck disable=SC2016 # the inner shell's variables
exec unshare --mount --propagation private bash -c '
  root="$1"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    QT_QPA_PLATFORM=offscreen bash -c "$2" bash "${@:3}"' \
  bash "$root" "$commands" "$@"
