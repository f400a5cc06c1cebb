#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the interoperability tests with the Python that has TensorFlow 2.15.
set -euo pipefail
if [ -z "${CANNERY_TENSORFLOW_PYTHON:-}" ]; then
  echo "CANNERY_TENSORFLOW_PYTHON is not set; packaging/tensorflow_environment.sh makes and names it."
  exit 77
fi
export TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES="" TF_ENABLE_ONEDNN_OPTS=0
cd "$(dirname "$0")"
if [ $# -eq 0 ]; then
  set -- discover
fi
exec "$CANNERY_TENSORFLOW_PYTHON" -B -W ignore -m unittest "$@" -v
