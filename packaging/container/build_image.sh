#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the container image of the engine from Debian's packages alone, without a registry: for
# machines that reach a Debian mirror but no registry, and for images without a shell.
#   packaging/container/build_image.sh [--binary FILE] [--name NAME:TAG] [OUTPUT]
# Writes an OCI archive to OUTPUT (default: build/cannery_image.tar); load it with
# `podman load -i`, `docker load -i` or `skopeo copy oci-archive:OUTPUT docker://registry/…`.
# --binary: the program, instead of building it. As root, or as a user that may have user namespaces.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source_folder="$(cd "$here/../.." && pwd)"
binary=""
name="cannery:latest"
output="$source_folder/build/cannery_image.tar"
while [ $# -gt 0 ]; do
  case "$1" in
    --binary) binary="$(realpath "$2")"; shift 2 ;;
    --name) name="$2"; shift 2 ;;
    -*) echo "usage: $0 [--binary FILE] [--name NAME:TAG] [OUTPUT]" >&2; exit 2 ;;
    *) output="$1"; shift ;;
  esac
done

missing=()
for tool in mmdebstrap:mmdebstrap buildah:buildah dpkg-shlibdeps:dpkg-dev strip:binutils; do
  command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "Missing: apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

if [ -z "$binary" ]; then
  cd "$source_folder"
  packaging/install_dependencies.sh engine
  cmake --preset release -DCANNERY_WORKBENCH=OFF -DCANNERY_TESTS=OFF >/dev/null
  packaging/build.sh release cannery
  binary="$source_folder/build/release/app/cannery/cannery"
fi

scratch="$(mktemp -d)"
# Rootless, files of the root belong to other users of its namespace.
trap 'buildah unshare rm -rf "$scratch" 2>/dev/null || rm -rf "$scratch"' EXIT
mkdir -p "$scratch/files/usr/bin" "$scratch/files/usr/share/doc/cannery" "$scratch/files/etc" \
  "$scratch/files/project"
strip -o "$scratch/files/usr/bin/cannery" "$binary"
cp "$source_folder/packaging/linux/copyright" "$scratch/files/usr/share/doc/cannery/"
printf 'root:x:0:0:root:/:/usr/sbin/nologin\ncannery:x:10001:10001::/tmp:/usr/sbin/nologin\n' \
  >"$scratch/files/etc/passwd"
printf 'root:x:0:\ncannery:x:10001:\n' >"$scratch/files/etc/group"
# Names are looked up in /etc/hosts, then in DNS.
printf 'hosts: files dns\n' >"$scratch/files/etc/nsswitch.conf"

# Of the release that the program was built on.
# shellcheck source=/dev/null
release="$(. /etc/os-release && echo "$VERSION_CODENAME")"

# Only the libraries: unpacked, not installed, so neither dpkg nor a shell is needed. Programs that
# come with the packages they depend on (passwd, perl) are left out.
packages="base-files netbase $("$here/runtime_packages.sh" "$binary" | tr '\n' ' ')"
echo "Packages: $packages"
mmdebstrap --variant=extract --quiet --include="${packages// /,}" \
  --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
  --extract-hook='rm -rf "$1"/usr/bin/* "$1"/usr/sbin/* "$1"/usr/share/perl*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  "$release" "$scratch/root.tar"

# Storage of its own: nothing of the machine's is touched.
export STORAGE_DRIVER=vfs
tools=(buildah --root "$scratch/storage" --runroot "$scratch/run")
container="$("${tools[@]}" from scratch)"
"${tools[@]}" add --quiet "$container" "$scratch/root.tar" /
"${tools[@]}" copy --quiet --chown 0:0 "$container" "$scratch/files" /
"${tools[@]}" config --user 10001:10001 --env HOME=/tmp --workingdir /project \
  --entrypoint '["/usr/bin/cannery"]' --cmd help \
  --label org.opencontainers.image.title=cannery \
  --label org.opencontainers.image.licenses=Apache-2.0 "$container"
"${tools[@]}" commit --quiet --rm "$container" "$name" >/dev/null
mkdir -p "$(dirname "$output")"
rm -f "$output"
"${tools[@]}" push --quiet "$name" "oci-archive:$output:$name"
echo "Wrote $output ($(($(stat -c %s "$output") / 1000000)) MB): $name"
