#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the engine, without the window, for processors other than x86-64-v3, and runs its unit and
# golden tests; those for ARM under qemu's emulator of user programs. On Debian 12 for x86-64.
#   packaging/cross_build.sh aarch64   64-bit ARM, in build/aarch64
#   packaging/cross_build.sh x86-64    every x86-64 processor, in build/plain
#   packaging/cross_build.sh PROCESSOR TEST...   only these test programs (tst_kernels, tst_golden)
# For ARM, Debian's packages are unpacked into build/aarch64-sysroot, not installed: about 700 MB.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  # qemu does not let a program start others, or fork while it has threads, as these tests do.
  aarch64) preset=aarch64 without='^tst_core_(cluster|control|coordinator)$' ;;
  x86-64) preset=plain without='^$' ;;
  *) echo "usage: $0 aarch64|x86-64 [TEST...]" >&2; exit 2 ;;
esac
shift

packaging/install_dependencies.sh build # the tests need Qt
if [ "$preset" = aarch64 ]; then
  sysroot="$PWD/build/aarch64-sysroot"
  missing=()
  for tool in aarch64-linux-gnu-g++:g++-aarch64-linux-gnu qemu-aarch64:qemu-user mmdebstrap:mmdebstrap; do
    command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    echo "Missing: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  if [ ! -f "$sysroot/complete" ]; then
    echo "Unpacking Debian's packages for ARM into build/aarch64-sysroot"
    rm -rf "$sysroot"
    mkdir -p build
    packages=(
      libstdc++-12-dev libc6-dev libprotobuf-dev libsqlite3-dev libleveldb-dev libsnappy-dev
      zlib1g-dev libzip-dev libjpeg62-turbo-dev libpng-dev libfmt-dev libcli11-dev nlohmann-json3-dev
      libexpected-dev libfast-float-dev libeigen3-dev libpcre2-dev libgrpc++-dev protobuf-compiler-grpc libgloo-dev qt6-base-dev
    )
    mmdebstrap --quiet --variant=extract --architectures=arm64 \
      --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
      --include="$(IFS=,; echo "${packages[*]}")" bookworm "$sysroot"
    # Names of files that are right only on a system of its own.
    find "$sysroot/usr/lib/aarch64-linux-gnu" -maxdepth 1 -lname '/*' | while read -r link; do
      ln -sfn "$(basename "$(readlink "$link")")" "$link"
    done
    # shellcheck disable=SC2016 # CMake's variable
    sed -i 's|"/usr/lib/|"${_IMPORT_PREFIX}/lib/|' "$sysroot"/usr/share/cmake/Gloo/GlooTargets-*.cmake
    touch "$sysroot/complete"
  fi
fi

# A test function may take 20 minutes: an emulator is slow.
export LC_ALL=C.UTF-8 QT_QPA_PLATFORM=offscreen QTEST_FUNCTION_TIMEOUT=1200000
cmake --preset "$preset" >/dev/null
CANNERY_WITHOUT="$without" packaging/engine_tests.sh "$preset" "$@"
