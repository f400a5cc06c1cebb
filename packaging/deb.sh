#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the release and packages it for Debian.
#   packaging/deb.sh [FOLDER]   writes cannery_<version>_<architecture>.deb to FOLDER (default: build),
#                               and where the CUDA Toolkit is found cannery-cuda_….deb
# Install them with: sudo apt install ./build/cannery*.deb
set -euo pipefail
cd "$(dirname "$0")/.."
folder="${1:-build}"

packaging/install_dependencies.sh package
export PATH="/usr/bin:$PATH"
cmake --preset release -DCANNERY_WORKBENCH=ON >/dev/null
targets=(cannery cannery-workbench cannery_predict)
if cmake --build build/release --target help | grep -q '^cannery_cuda:'; then
  targets+=(cannery_cuda)
fi
packaging/build.sh release "${targets[@]}"
cpack -G DEB --config build/release/CPackConfig.cmake -B build/release/package >/dev/null
mkdir -p "$folder"
cp build/release/package/cannery*.deb "$folder/"
ls -l "$folder"/cannery*.deb
