#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_image.sh BINARY: builds the container image of a built program, looks at what is in it, and
# trains in it as Kubernetes would: as a user without rights, where only /tmp and the project can be
# written. Needs a Debian mirror and a mount namespace; exits with 77 where something is missing.
set -euo pipefail
binary="$(realpath "$1")"
source_folder="$(cd "$(dirname "$0")/../.." && pwd)"

fail() { echo "FAIL: $*" >&2; exit 1; }
skip() { echo "SKIPPED: $*" >&2; exit 77; }
for tool in mmdebstrap buildah dpkg-shlibdeps strip unshare; do
  command -v "$tool" >/dev/null || skip "$tool is missing; packaging/install_dependencies.sh test"
done
[ "$(id -u)" -eq 0 ] && unshare --mount --pid --net --fork true || skip "no namespaces for this user"

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
# As apt reaches it: by its proxy, if there is one.
# shellcheck source=/dev/null
release="$(. /etc/os-release && echo "$VERSION_CODENAME")"
/usr/lib/apt/apt-helper download-file "http://deb.debian.org/debian/dists/$release/InRelease" \
  "$scratch/InRelease" >/dev/null 2>&1 || skip "no Debian mirror can be reached"
"$source_folder/packaging/container/build_image.sh" --binary "$binary" --name cannery:test \
  "$scratch/image.tar" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "the image was not built"; }
[ "$(stat -c %s "$scratch/image.tar")" -lt 60000000 ] || fail "the image is no longer small"

# What it says of itself, and its files.
mkdir "$scratch/image" "$scratch/root" "$scratch/project" "$scratch/tmp"
tar -xf "$scratch/image.tar" -C "$scratch/image"
python3 - "$scratch/image" "$scratch/root" <<'PYTHON'
import json, subprocess, sys
image, root = sys.argv[1:]
def blob(digest): return f"{image}/blobs/{digest.replace(':', '/')}"
with open(f"{image}/index.json") as file: index = json.load(file)
with open(blob(index["manifests"][0]["digest"])) as file: manifest = json.load(file)
with open(blob(manifest["config"]["digest"])) as file: config = json.load(file)["config"]
assert config["User"] == "10001:10001", config
assert config["Entrypoint"] == ["/usr/bin/cannery"], config
assert config["WorkingDir"] == "/project", config
for layer in manifest["layers"]:
    subprocess.run(["tar", "-xf", blob(layer["digest"]), "-C", root], check=True)
PYTHON
[ ! -e "$scratch/root/bin/sh" ] || fail "there is a shell in the image"
[ -e "$scratch/root/usr/share/doc/cannery/copyright" ] || fail "no licence"
changing="$(find "$scratch/root" -xdev -perm /6000 -type f)"
[ -z "$changing" ] || fail "files that change the user: $changing"

# Training, without a network.
cp "$source_folder"/resources/examples/titanic/* "$scratch/project"
chown -R 10001:10001 "$scratch/project" "$scratch/tmp"
export scratch
run_inside() {
  unshare --mount --pid --net --fork bash -euc '
    mount --bind "$scratch/root" "$scratch/root"
    mount -o remount,bind,ro "$scratch/root"
    mount --bind "$scratch/project" "$scratch/root/project"
    mount --bind "$scratch/tmp" "$scratch/root/tmp"
    mount -t proc proc "$scratch/root/proc"
    exec env -i HOME=/tmp PATH=/usr/sbin:/usr/bin setpriv --no-new-privs --inh-caps=-all \
      chroot --userspec=10001:10001 "$scratch/root" /usr/bin/cannery "$@"' bash "$@"
}
run_inside train /project/titanic.cannery --model-dir /project/models/titanic \
  --set train_spec.max_steps=200 --quiet || fail "training in the image"
[ -s "$scratch/project/models/titanic/checkpoint" ] || fail "no checkpoint in the project"
[ "$(stat -c %u "$scratch/project/models/titanic/checkpoint")" -eq 10001 ] || fail "another user's file"
status=0
run_inside train /project/titanic.cannery --model-dir /models 2>"$scratch/errors" || status=$?
[ "$status" -ne 0 ] || fail "the root can be written"
grep -q "/models" "$scratch/errors" || { cat "$scratch/errors"; fail "the sentence does not name the folder"; }
echo "The image has $(($(stat -c %s "$scratch/image.tar") / 1000000)) MB and trains."
