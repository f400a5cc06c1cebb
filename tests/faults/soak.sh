#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Injects faults for hours: kills at moments that change in every round, trainings whose memory is
# monitored, and the fuzz targets if they are built. Stops at the first failure, and prints the
# numbers that reproduce it.
#
#     tests/faults/soak.sh [HOURS] [BUILD_FOLDER]
set -u
hours=${1:-1}
build=${2:-build/release}
end=$(($(date +%s) + $(awk "BEGIN { print int($hours * 3600) }")))
round=0
while [ "$(date +%s)" -lt "$end" ]; do
  round=$((round + 1))
  export CANNERY_FAULT_SEED=$((round + $(date +%s) % 1000000))
  export CANNERY_FAULT_KILLS=500
  export CANNERY_SOAK_STEPS=2000000
  echo "round $round: CANNERY_FAULT_SEED=$CANNERY_FAULT_SEED CANNERY_FAULT_KILLS=$CANNERY_FAULT_KILLS"
  for test in "tst_faults_programs TstRandomKills" "tst_faults_disks TstMemoryGrowth" \
    "tst_faults_programs TstKilledAtEveryCall" "tst_faults_disks TstPowerCut"; do
    # shellcheck disable=SC2086
    if ! QTEST_FUNCTION_TIMEOUT=36000000 "$build"/tests/faults/$test; then
      echo "FAILED: CANNERY_FAULT_SEED=$CANNERY_FAULT_SEED $build/tests/faults/$test"
      exit 1
    fi
  done
  tests/fuzz/run.sh 60
  status=$?
  if [ $status -ne 0 ] && [ $status -ne 77 ]; then # 77: no clang here
    exit 1
  fi
done
echo "$round rounds passed"
