#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# runtime_packages.sh BINARY: prints the Debian packages of the libraries that a program needs, one
# per line.
set -euo pipefail
binary="$(realpath "$1")"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

command -v dpkg-shlibdeps >/dev/null || { echo "dpkg-shlibdeps is missing: install dpkg-dev" >&2; exit 1; }
mkdir "$scratch/debian"
printf 'Source: cannery\n\nPackage: cannery\nArchitecture: any\n' >"$scratch/debian/control"
cd "$scratch"
# "shlibs:Depends=libc6 (>= 2.34), libfmt9 (>= 9.1.0+ds1)"
dpkg-shlibdeps -O "-e$binary" 2>"$scratch/log" >"$scratch/depends" || { cat "$scratch/log" >&2; exit 1; }
sed 's/^shlibs:Depends=//' "$scratch/depends" | tr ',' '\n' | sed -E 's/^ *([^ ]+).*/\1/' | sort -u
