#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the release and packages it for Debian.
#   packaging/deb.sh [FOLDER]   writes cannery_<version>_<architecture>.deb to FOLDER (default: build)
# Install it with: sudo apt install ./build/cannery_*.deb
set -euo pipefail
cd "$(dirname "$0")/.."
folder="${1:-build}"

packaging/install_dependencies.sh package
export PATH="/usr/bin:$PATH"
cmake --preset release -DCANNERY_WORKBENCH=ON >/dev/null
packaging/build.sh release cannery cannery-workbench cannery_predict
cpack -G DEB --config build/release/CPackConfig.cmake -B build/release/package >/dev/null
mkdir -p "$folder"
cp build/release/package/cannery_*.deb "$folder/"
ls -l "$folder"/cannery_*.deb
