#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A cluster of four hosts, each a network namespace behind a bridge. The chief's name resolves late;
# the link of a worker is taken down and comes back; another time its process dies with it and is
# replaced; then the chief's link. The training must end in the bits of one process without a
# network. Prints how long each loss took to be noticed, and how long until training went on.
# Needs root, or user namespaces; exits with 77 where neither is allowed.
#
#     tests/faults/lost_link.sh PROGRAM [SECONDS_OF_SILENCE]
set -u
program=$(realpath "$1")
silence=${2:-6} # communication_options.timeout_seconds; 6 is the default
steps=1200

if [ "${CANNERY_OWN_NAMESPACE:-}" != 1 ]; then
  user=()
  [ "$(id -u)" = 0 ] || user=(--user --map-root-user)
  if ! unshare "${user[@]}" --mount --net ip link add probe type veth 2>/dev/null; then
    echo "skipped: this system allows no network namespaces (unshare, ip) here"
    exit 77
  fi
  exec env CANNERY_OWN_NAMESPACE=1 unshare "${user[@]}" --mount --net --pid --fork --kill-child \
    --mount-proc "$0" "$program" "$silence"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
mount -t tmpfs none /run && mkdir /run/netns || exit 1
cp /etc/hosts hosts && mount --bind "$folder/hosts" /etc/hosts || exit 1

fail() {
  echo "FAILED: $*"
  tail -n 20 chief.log worker*.log
  exit 1
}
# until_true WHAT COMMAND...: waits at most five minutes.
until_true() {
  local what=$1 end=$((SECONDS + 300))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || fail "in vain: $what"
    sleep 0.02
  done
}

{
  echo "x,colour,label"
  awk 'BEGIN { split("red green blue", colours)
    for (i = 0; i < 40; i++) {
      x = (i * 37 % 101) / 50 - 1
      printf "%g,%s,%d\n", x, colours[i * 7 % 3 + 1], (x > 0) } }'
} >table.csv
cat >cluster.cannery <<EOF
data {
  train { csv { files: "table.csv" } }
  label { column: "label" }
}
feature_column { name: "x" numeric_column { key: "x" } }
feature_column { name: "colour" categorical_column_with_vocabulary_list { key: "colour" vocabulary_list: ["red", "green", "blue"] } }
feature_column { name: "colour_embedding" embedding_column { categorical_column: "colour" dimension: 2 } }
estimator {
  dnn_linear_combined_classifier {
    linear_feature_columns: ["x", "colour"]
    dnn_feature_columns: ["x", "colour_embedding"]
    dnn_hidden_units: [8, 4]
    dnn_optimizer { adam { learning_rate: 0.01 } }
  }
}
train_spec { max_steps: $steps input { batch_size: 2 shuffle: true } }
run_config { tf_random_seed: 11 save_checkpoints_steps: 20 }
strategy {
  multi_worker_mirrored { communication_options { timeout_seconds: $silence } }
  virtual_shards: 8
}
EOF
words=(train cluster.cannery --threads 1)
"$program" "${words[@]}" --quiet --model-dir alone || fail "one process"

ip link set lo up
ip link add hub type bridge && ip link set hub up || exit 1
for host in 0 1 2 3; do
  ip netns add "h$host"
  ip link add "link$host" type veth peer name eth0 netns "h$host"
  ip link set "link$host" master hub up
  ip -n "h$host" address add "10.93.0.1$host/24" dev eth0
  ip -n "h$host" link set eth0 up
  ip -n "h$host" link set lo up
done

declare -A process
# begin HOST: the chief is host 0.
begin() {
  local type=worker index=$(($1 - 1)) log=worker$1.log
  [ "$1" != 0 ] || { type=chief index=0 log=chief.log; }
  TF_CONFIG='{"cluster": {"chief": ["chief.test:2222"],
    "worker": ["10.93.0.11:2222", "10.93.0.12:2222", "10.93.0.13:2222"]},
    "task": {"type": "'$type'", "index": '$index'}}' \
    nsenter --net="/run/netns/h$1" "$program" "${words[@]}" --model-dir model >>"$log" 2>&1 &
  process[$1]=$!
}
step() { sed -n '1s/.*model.ckpt-\([0-9]*\)"/\1/p' model/checkpoint 2>/dev/null; }
has_step() { [ "$(step || echo 0)" -ge "$1" ] 2>/dev/null; }
says() { grep -q "$2" "$1" 2>/dev/null; }
# says_more LOG WORDS COUNT: more often than before.
says_more() { [ "$(grep -c "$2" "$1")" -gt "$3" ]; }
now() { date +%s.%N; }
since() { awk "BEGIN { printf \"%.2f s\", $(now) - $1 }"; }
more_steps() { until_true "steps after $1" has_step $(($(step) + 60)); }

for host in 1 2 3; do begin $host; done
until_true "the unknown name is told" says worker1.log 'the host "chief.test" is unknown'
echo "10.93.0.10 chief.test" >>hosts
begin 0
until_true "step 100" has_step 100
echo "ok: the chief's name resolved late"

# lose HOST LOG WORDS: takes its link down until somebody says so.
lose() {
  local before begun
  before=$(grep -c "$3" "$2")
  ip link set "link$1" down
  begun=$(now)
  until_true "$3" says_more "$2" "$3" "$before"
  echo "ok: host $1 is lost, as was said after $(since "$begun")"
}
# regain HOST WORDS...: what comes back.
regain() {
  ip link set "link$1" up
  begun=$(now)
  last=$(step)
  until_true "training goes on" has_step $((last + 20))
  echo "ok: $2; 20 to 40 steps later after $(since "$begun")"
}

lose 2 chief.log "is lost: it was silent for $silence s"
regain 2 "its link came back"
more_steps "a lost link"

lose 2 chief.log "is lost: it was silent for $silence s"
kill -KILL "${process[2]}"
wait "${process[2]}" 2>/dev/null
begin 2
regain 2 "another process took its place"
more_steps "a replaced worker"

lose 0 worker3.log "Waiting for the coordinator"
regain 0 "the chief's link came back"

for host in 0 1 2 3; do
  wait "${process[$host]}" || fail "host $host ended with $?"
done
for file in alone/model.ckpt-$steps.*; do
  cmp "$file" "model/${file#alone/}" || fail "other bits"
done
echo "passed: the bits of one process"
