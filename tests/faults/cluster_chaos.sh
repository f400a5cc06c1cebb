#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kills, stops and ends random processes of clusters, until so many faults have been injected: every
# training must end in the bits of one process. Prints the numbers that reproduce a failure.
#
#     tests/faults/cluster_chaos.sh [FAULTS] [BUILD_FOLDER] [SEED]
set -u
export CANNERY_CLUSTER_FAULTS=${1:-100}
build=${2:-build/release}
export CANNERY_FAULT_SEED=${3:-$(($(date +%s) % 1000000))}
echo "CANNERY_FAULT_SEED=$CANNERY_FAULT_SEED CANNERY_CLUSTER_FAULTS=$CANNERY_CLUSTER_FAULTS"
if ! QTEST_FUNCTION_TIMEOUT=36000000 "$build"/tests/faults/tst_faults_clusters TstClusterChaos; then
  echo "FAILED: CANNERY_FAULT_SEED=$CANNERY_FAULT_SEED" \
    "CANNERY_CLUSTER_FAULTS=$CANNERY_CLUSTER_FAULTS" \
    "$build/tests/faults/tst_faults_clusters TstClusterChaos"
  exit 1
fi
