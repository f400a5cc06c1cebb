#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the host does for a step on a GPU: `cannery train` of the census sample on a device that does
# nothing (tests/support/emulated_device/idle_device.h). Prints the processor time of a long run less
# that of a short one, by their steps; once with all that a run records, once without. Then the same
# for the rows of an evaluation, whose metrics are the host's work, on the device and on the CPU.
#   tests/benchmarks/host_share.sh BUILD_FOLDER [BATCH_SIZE]
set -euo pipefail
cd "$(dirname "$0")/../.."
build="$(cd "$1" && pwd)"
batch="${2:-128}"
short=20000
long=120000
export CANNERY_EMULATED_IDLE=1
CANNERY_CUDA_PLUGIN="$(find "$build/tests/support/emulated_device" -name '*cannery_emulated_device.so')"
export CANNERY_CUDA_PLUGIN
folder="$(mktemp -d)"
trap 'rm -r "$folder"' EXIT
cp resources/examples/census/* "$folder"

# Processor seconds of a training of so many steps.
seconds() {
  rm -rf "$folder/model"
  local TIMEFORMAT='%U %S'
  { time "$build/app/cannery/cannery" train "$folder/census.cannery" --model-dir "$folder/model" \
      --set 'strategy={ one_device { device: "GPU:0" } }' --set "train_spec.max_steps=$1" \
      --set "train_spec.input.num_epochs=0" --set "train_spec.input.batch_size=$batch" \
      --set run_config.save_checkpoints_steps=1000000 "${@:2}" >/dev/null 2>&1; } 2>&1 |
    awk '{ print $1 + $2 }'
}

report() {
  local name="$1"
  shift
  awk -v name="$name" -v a="$(seconds "$short" "$@")" -v b="$(seconds "$long" "$@")" -v n=$((long - short)) \
    'BEGIN { printf "%-34s %6.2f us a step\n", name, (b - a) / n * 1e6 }'
}

report "as it is"
report "without insights" --set run_config.insights=false
report "without summaries" --set run_config.save_summary_steps=0

# Processor seconds of a training of ten steps whose evaluation goes over its 2,000 rows so often.
evaluation_seconds() {
  rm -rf "$folder/model"
  local TIMEFORMAT='%U %S'
  { time "$build/app/cannery/cannery" train "$folder/census.cannery" --model-dir "$folder/model" \
      --set 'strategy={ one_device { device: "GPU:0" } }' --set train_spec.max_steps=10 \
      --set "eval_spec.input.num_epochs=$1" --set eval_spec.input.batch_size=1024 \
      "${@:2}" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

report_evaluation() {
  local name="$1" few=20 many=520
  shift
  awk -v name="$name" -v a="$(evaluation_seconds "$few" "$@")" \
    -v b="$(evaluation_seconds "$many" "$@")" -v n=$(((many - few) * 2000)) \
    'BEGIN { printf "%-34s %6.1f ns a row\n", name, (b - a) / n * 1e9 }'
}

report_evaluation "evaluation on the device"
report_evaluation "evaluation on the CPU" --set 'run_config.eval_distribute={ one_device {} }'
