#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Cannery needs on Debian 12 or 13, and prints what it installs.
#   packaging/install_dependencies.sh engine    to build and run the command line
#   packaging/install_dependencies.sh build     also the window (Qt, fonts)
#   packaging/install_dependencies.sh package   also to build the Debian package
#   packaging/install_dependencies.sh test      also to run the tests
# Safe to repeat: does nothing if nothing is missing.
set -euo pipefail

engine_packages=(
  ca-certificates g++ cmake ninja-build pkg-config mold ccache
  protobuf-compiler libprotobuf-dev libsqlite3-dev libleveldb-dev libsnappy-dev
  zlib1g-dev libzip-dev libjpeg62-turbo-dev libpng-dev libfmt-dev libcli11-dev nlohmann-json3-dev
  libexpected-dev libfast-float-dev libeigen3-dev libpcre2-dev libgrpc++-dev protobuf-compiler-grpc
  libgloo-dev libdnnl-dev
)
build_packages=(
  "${engine_packages[@]}"
  qt6-base-dev qt6-charts-dev qt6-svg-dev libgl1-mesa-dev
  fonts-inter fonts-jetbrains-mono
)
package_packages=(dpkg-dev fakeroot file)
# A virtual display, a bus and an accessibility client for the window; tools that check the package,
# build the container image and make networks.
test_packages=(
  python3 python3-venv xvfb at-spi2-core dbus gir1.2-atspi-2.0 python3-pyatspi
  desktop-file-utils appstream shared-mime-info hicolor-icon-theme binutils
  mmdebstrap buildah iproute2
)

# What only one release has under this name. Clang 14, for its fuzzer, formatter and linter, is
# Debian 12's; packaging/test.sh says what it leaves out without it.
# shellcheck source=/dev/null
release="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")"
if [ "$release" = bookworm ]; then
  build_packages+=(libqt6opengl6-dev)
  test_packages+=(clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14)
fi

case "${1:-}" in
  engine) packages=("${engine_packages[@]}") ;;
  build) packages=("${build_packages[@]}") ;;
  package) packages=("${build_packages[@]}" "${package_packages[@]}") ;;
  test) packages=("${build_packages[@]}" "${package_packages[@]}" "${test_packages[@]}") ;;
  *) echo "usage: $0 engine|build|package|test" >&2; exit 2 ;;
esac

missing=()
for package in "${packages[@]}"; do
  if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
    missing+=("$package")
  fi
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "These Debian packages are missing, and installing them needs root or sudo: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing Debian packages: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
