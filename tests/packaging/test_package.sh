#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_package.sh BUILD_FOLDER: makes the packages of a built tree, looks at what is in them, installs
# them into a scratch root, runs the programs there, and removes them again. Needs no network; as root
# or with fakeroot.
set -euo pipefail
build="$(cd "$1" && pwd)"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

fail() { echo "FAIL: $*" >&2; exit 1; }
for tool in cpack dpkg-deb dpkg-shlibdeps desktop-file-validate appstreamcli update-mime-database \
            ldd readelf cc pkg-config; do
  command -v "$tool" >/dev/null || fail "$tool is missing; packaging/install_dependencies.sh test"
done
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v fakeroot >/dev/null || fail "neither root nor fakeroot"
  as_root=(fakeroot -s "$scratch/fakeroot" -i "$scratch/fakeroot")
  : >"$scratch/fakeroot"
fi

cpack -G DEB --config "$build/CPackConfig.cmake" -B "$scratch/package" >"$scratch/cpack.log" ||
  { cat "$scratch/cpack.log"; fail "cpack"; }
packages=("$scratch"/package/*.deb)
package="$(echo "$scratch"/package/cannery_*.deb)"
installed=(cannery)
if [ -f "$build/app/cannery/libcannery_cuda.so" ]; then
  cuda_package="$(echo "$scratch"/package/cannery-cuda_*.deb)"
  [ -f "$cuda_package" ] || fail "no package for GPUs: ${packages[*]}"
  installed=(cannery-cuda cannery)
fi
[ ${#packages[@]} -eq ${#installed[@]} ] && [ -f "$package" ] || fail "packages: ${packages[*]}"

# What it says of itself. Newer releases mark libraries that were built for 64-bit times by t64.
depends="$(dpkg-deb -f "$package" Depends)"
for name in libc6 libqt6widgets6 libqt6charts6 libprotobuf32 libsqlite3-0 fonts-inter \
            fonts-jetbrains-mono shared-mime-info desktop-file-utils hicolor-icon-theme; do
  grep -qE "(^|[ ,])$name(t64)?([ ,(]|$)" <<<"$depends" || fail "no dependency on $name: $depends"
done
[ "$(dpkg-deb -f "$package" Architecture)" = "$(dpkg --print-architecture)" ] || fail architecture

# What is in it: nothing but usr, owned by root, no build paths.
dpkg-deb -c "$package" >"$scratch/contents"
grep -vE ' \./(usr/.*)?$' "$scratch/contents" | grep . && fail "files outside of /usr"
grep -v ' root/root ' "$scratch/contents" && fail "files that are not root's"
root="$scratch/root"
dpkg-deb -x "$package" "$root"
share="$root/usr/share"
for file in bin/cannery bin/cannery-workbench \
            share/applications/org.cannery.Workbench.desktop \
            share/metainfo/org.cannery.Workbench.metainfo.xml \
            share/mime/packages/org.cannery.Workbench.xml \
            share/icons/hicolor/scalable/apps/org.cannery.Workbench.svg \
            share/icons/hicolor/scalable/mimetypes/application-x-cannery-experiment.svg \
            share/bash-completion/completions/cannery share/zsh/vendor-completions/_cannery \
            share/fish/vendor_completions.d/cannery.fish \
            share/doc/cannery/copyright share/doc/cannery/OFL.txt include/cannery_predict.h \
            share/cannery/examples/predict_rows.c \
            share/cannery/examples/{titanic,census,penguins,auto_mpg,digits}; do
  [ -e "$root/usr/$file" ] || fail "usr/$file is missing"
done
bash -n "$share/bash-completion/completions/cannery"
desktop-file-validate "$share/applications/org.cannery.Workbench.desktop"
metainfo="$share/metainfo/org.cannery.Workbench.metainfo.xml"
# Newer releases of AppStream warn that there is no homepage yet; older ones do not know that.
appstreamcli validate --no-net "$metainfo" ||
  appstreamcli validate --no-net --override=url-homepage-missing=info "$metainfo"
library="$(find "$root/usr/lib" -name libcannery_predict.so.1)"
[ -n "$library" ] || fail "no libcannery_predict.so.1"
for binary in "$root/usr/bin/cannery" "$root/usr/bin/cannery-workbench" "$library"; do
  ldd "$binary" | grep "not found" && fail "$binary lacks libraries"
  readelf -d "$binary" | grep -E 'R(UN)?PATH' && fail "$binary has a run path"
  ldd "$binary" | grep -E 'lib(cuda|cublas|nv)' && fail "$binary needs a library of NVIDIA's"
done
# Programs in C find the library.
library_folder="$(dirname "$library")"
[ -e "$library_folder/cmake/CanneryPredict/CanneryPredictConfig.cmake" ] || fail "no package for CMake"
read -ra flags < <(PKG_CONFIG_LIBDIR="$library_folder/pkgconfig" \
  pkg-config --cflags --libs cannery_predict)
cc -std=c11 "$share/cannery/examples/predict_rows.c" "${flags[@]}" -o "$scratch/predict_rows"
said="$(LD_LIBRARY_PATH="$library_folder" "$scratch/predict_rows" "$scratch/nowhere" 2>&1 || true)"
grep -q "There is no folder" <<<"$said" || fail "the program in C says: $said"
# The MIME type is found by its glob, as file managers find it.
XDG_DATA_DIRS="$share" update-mime-database "$share/mime"
grep -q '^50:application/x-cannery-experiment:\*\.cannery$' "$share/mime/globs2" || fail "MIME glob"
rm -rf "$root"

# The plug-in for GPUs.
if [ -n "${cuda_package:-}" ]; then
  version="$(dpkg-deb -f "$package" Version)"
  [ "$(dpkg-deb -f "$cuda_package" Depends)" = "cannery (= $version)" ] || fail "cannery-cuda depends"
  dpkg-deb -f "$cuda_package" Recommends | grep -q '^libcublas-' || fail "cannery-cuda recommends"
  dpkg-deb -x "$cuda_package" "$root"
  plugin="$(find "$root/usr/lib" -name libcannery_cuda.so)"
  [ -n "$plugin" ] || fail "no libcannery_cuda.so"
  readelf -d "$plugin" | grep -E 'R(UN)?PATH' && fail "$plugin has a run path"
  rm -rf "$root"
fi

# In and out again.
mkdir -p "$root/var/lib/dpkg"/{info,updates,triggers}
: >"$root/var/lib/dpkg/status"
dpkg_here=("${as_root[@]}" dpkg --root="$root" --force-depends --force-script-chrootless
           --log="$scratch/dpkg.log")
"${dpkg_here[@]}" -i "${packages[@]}" >"$scratch/install.log" 2>&1 ||
  { cat "$scratch/install.log"; fail "dpkg -i"; }
grep -q "^Status: install ok installed" "$root/var/lib/dpkg/status" || fail "not installed"

project="$scratch/project"
cp -r "$root/usr/share/cannery/examples/titanic" "$project"
export XDG_RUNTIME_DIR="$scratch/runtime" HOME="$scratch/home" XDG_CONFIG_HOME="$scratch/config"
mkdir -m 700 -p "$XDG_RUNTIME_DIR" "$HOME"
"$root/usr/bin/cannery" --version
"$root/usr/bin/cannery" train "$project/titanic.cannery" --quiet --set train_spec.max_steps=5
compgen -G "$project/runs/*/model.ckpt-5.index" >/dev/null || fail "the installed program trained nothing"
QT_QPA_PLATFORM=offscreen "$root/usr/bin/cannery-workbench" --version
if [ -n "${cuda_package:-}" ]; then
  "$root/usr/bin/cannery" doctor >"$scratch/doctor"
  grep "not installed" "$scratch/doctor" && fail "the plug-in is not found"
fi

"${dpkg_here[@]}" -P "${installed[@]}" >"$scratch/remove.log" 2>&1 ||
  { cat "$scratch/remove.log"; fail "dpkg -P"; }
[ -z "$(find "$root/usr" ! -type d 2>/dev/null)" ] || fail "files stay behind: $(find "$root/usr")"
echo "PASS: $(basename "$package")"
