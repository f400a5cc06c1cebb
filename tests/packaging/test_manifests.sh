#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the manifests that core/cluster renders (the files that its test compares with) against the
# schemas of Kubernetes: PyPI's kubernetes-validate, in a virtual environment outside the source tree.
# Exits with 77 if that cannot be had.
#   CANNERY_KUBERNETES_ENV   its folder (default: ~/.cache/cannery/kubernetes-validate-1.37.0)
set -euo pipefail
cd "$(dirname "$0")"
version=1.37.0
environment="${CANNERY_KUBERNETES_ENV:-${XDG_CACHE_HOME:-$HOME/.cache}/cannery/kubernetes-validate-$version}"

mkdir -p "$(dirname "$environment")"
exec 9>"$environment.lock"
flock 9 # another test run may be creating it
if [ ! -f "$environment/complete" ]; then
  rm -rf "$environment"
  { python3 -m venv "$environment" &&
    "$environment/bin/python" -m pip install -q --disable-pip-version-check --timeout 20 --retries 1 \
      "kubernetes-validate==$version" && touch "$environment/complete"; } >&2 ||
    { echo "SKIPPED: kubernetes-validate $version cannot be installed from PyPI" >&2; exit 77; }
fi
exec "$environment/bin/python" -B manifests_test.py
