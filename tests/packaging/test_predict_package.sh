#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_predict_package.sh BUILD_FOLDER: installs libcannery_predict alone and builds the example in C
# out of that prefix, moved elsewhere, as the handbook says: with CMake's package and with pkg-config.
set -euo pipefail
cd "$(dirname "$0")/../.."
build="$(cd "$1" && pwd)"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

fail() { echo "FAIL: $*" >&2; exit 1; }

cmake --install "$build" --component predict --prefix "$scratch/installed" >/dev/null
mv "$scratch/installed" "$scratch/prefix"
library="$(find "$scratch/prefix" -name libcannery_predict.so.1)"
[ -n "$library" ] || fail "no libcannery_predict.so.1"
grep -rlE "$build|$PWD" "$scratch/prefix" --include='*.cmake' --include='*.pc' &&
  fail "paths of the build"

# try PROGRAM: asks it for a model that is not there.
try() {
  local said
  said="$(LD_LIBRARY_PATH="$(dirname "$library")" "$1" "$scratch/nowhere" 2>&1 || true)"
  grep -q "There is no folder" <<<"$said" || fail "$1 says: $said"
}

# The lines of the handbook: the first block of each language in the section on the library.
block() { sed -n '/^## A library for C/,$p' resources/help/serving.md | sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" |
  sed '/^```$/,$d; 1d'; }

project="$scratch/project"
mkdir "$project"
cp resources/examples/predict_rows.c "$project"
{ echo 'cmake_minimum_required(VERSION 3.25)'; echo 'project(rows LANGUAGES C)'; block cmake; } \
  >"$project/CMakeLists.txt"
grep -q 'find_package(CanneryPredict' "$project/CMakeLists.txt" || fail "the handbook has no package"
cmake -S "$project" -B "$project/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" >"$scratch/log" ||
  { cat "$scratch/log"; fail "cmake"; }
cmake --build "$project/build" >"$scratch/log" || { cat "$scratch/log"; fail "the build"; }
try "$project/build/predict_rows"

# A version that is not there is refused.
sed -i 's/find_package(CanneryPredict/& 99/' "$project/CMakeLists.txt"
cmake -S "$project" -B "$project/other" -DCMAKE_PREFIX_PATH="$scratch/prefix" &>"$scratch/log" &&
  fail "version 99 was found"
grep -q "99" "$scratch/log" || { cat "$scratch/log"; fail "another error"; }

PKG_CONFIG_LIBDIR="$(dirname "$library")/pkgconfig"
export PKG_CONFIG_LIBDIR
compile="$(block sh | grep '^cc ')" || fail "the handbook has no compiler call"
(cd "$project" && bash -c "$compile")
try "$project/predict_rows"
echo "PASS"
