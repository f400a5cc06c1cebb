#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A cluster of hosts, each a network namespace behind a bridge. The chief's name resolves late; a
# worker is killed and replaced; the link of a worker is taken down and comes back; another time its
# process dies with it and is replaced; two workers do not hear each other, but the chief hears both;
# then the chief's link is lost. The training must end in the bits of one process without a network,
# every loss must be noticed in time, and training must go on soon after it is mended. Prints how
# long each took.
# Needs root, or user namespaces; exits with 77 where neither is allowed.
#
#     tests/faults/lost_link.sh PROGRAM [SECONDS_OF_SILENCE] [HOSTS]
set -u
program=$(realpath "$1")
silence=${2:-6} # communication_options.timeout_seconds; 6 is the default
hosts=${3:-8} # with the chief's; divides 8, the experiment's virtual shards
steps=1600
longest=5 # seconds after which training goes on at the latest, on top of what its steps take

if [ "${CANNERY_OWN_NAMESPACE:-}" != 1 ]; then
  user=()
  [ "$(id -u)" = 0 ] || user=(--user --map-root-user)
  if ! unshare "${user[@]}" --mount --net ip link add probe type veth 2>/dev/null; then
    echo "skipped: this system allows no network namespaces (unshare, ip) here"
    exit 77
  fi
  exec env CANNERY_OWN_NAMESPACE=1 unshare "${user[@]}" --mount --net --pid --fork --kill-child \
    --mount-proc "$0" "$program" "$silence" "$hosts"
fi

experiment=$(realpath "$(dirname "$0")/cluster.cannery")
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
cp "$experiment" .
words=(train cluster.cannery --threads 1 --set
  "strategy.multi_worker_mirrored.communication_options.timeout_seconds=$silence")
words+=(--set "train_spec.max_steps=$steps")
"$program" "${words[@]}" --quiet --model-dir alone || fail "one process"

ip link set lo up
ip link add hub type bridge && ip link set hub up || exit 1
workers=
for ((host = 0; host < hosts; host++)); do
  ip netns add "h$host"
  ip link add "link$host" type veth peer name eth0 netns "h$host"
  ip link set "link$host" master hub up
  ip -n "h$host" address add "10.93.0.1$host/24" dev eth0
  ip -n "h$host" link set eth0 up
  ip -n "h$host" link set lo up
  [ "$host" = 0 ] || workers+="${workers:+, }\"10.93.0.1$host:2222\""
done

declare -A process
# begin HOST: the chief is host 0.
begin() {
  local type=worker index=$(($1 - 1)) log=worker$1.log
  [ "$1" != 0 ] || { type=chief index=0 log=chief.log; }
  TF_CONFIG='{"cluster": {"chief": ["chief.test:2222"], "worker": ['$workers']},
    "task": {"type": "'$type'", "index": '$index'}}' \
    nsenter --net="/run/netns/h$1" "$program" "${words[@]}" --model-dir model >>"$log" 2>&1 &
  process[$1]=$!
}
# end HOST: kills its process.
end() {
  kill -KILL "${process[$1]}"
  wait "${process[$1]}" 2>/dev/null
}
step() { sed -n '1s/.*model.ckpt-\([0-9]*\)"/\1/p' model/checkpoint 2>/dev/null; }
has_step() { [ "$(step || echo 0)" -ge "$1" ] 2>/dev/null; }
says() { grep -q "$2" "$1" 2>/dev/null; }
# says_more LOG WORDS COUNT: more often than before.
says_more() { [ "$(grep -c "$2" "$1")" -gt "$3" ]; }
now() { date +%s.%N; }
since() { awk "BEGIN { printf \"%.2f\", $(now) - $1 }"; }
# in_time SECONDS LIMIT WHAT: or it fails.
in_time() { awk "BEGIN { exit !($1 <= $2) }" || fail "$3 after $1 s, not within $2 s"; }
# go_on STEPS: sets `took`, the seconds until so many more are saved.
go_on() {
  local begun last
  begun=$(now)
  last=$(step)
  until_true "training goes on" has_step $((last + $1))
  took=$(since "$begun")
}

for ((host = 1; host < hosts; host++)); do begin "$host"; done
until_true "the unknown name is told" says worker1.log 'the host "chief.test" is unknown'
echo "10.93.0.10 chief.test" >>hosts
begin 0
until_true "step 100" has_step 100
go_on 40
calm=$took
echo "ok: the chief's name resolved late; 40 steps take $calm s"

# lose LOG SENTENCE LIMIT COMMAND...: the command loses something, until somebody says so.
lose() {
  local log=$1 sentence=$2 limit=$3 before begun
  shift 3
  before=$(grep -c "$sentence" "$log")
  "$@"
  begun=$(now)
  until_true "$sentence" says_more "$log" "$sentence" "$before"
  took=$(since "$begun")
  in_time "$took" "$limit" "$sentence"
  echo "ok: $*: noticed after $took s"
}
# regain WHAT COMMAND...: the command mends it.
regain() {
  local what=$1
  shift
  "$@"
  go_on 20
  in_time "$took" "$(awk "BEGIN { print $longest + 2 * $calm }")" "$what; training went on"
  echo "ok: $what; 20 to 40 steps later after $took s"
  go_on 60
}
link() { ip link set "link$1" "$2"; }
# deafen HOST OTHER: what it sends to the other is lost on the way.
deafen() { ip -n "h$1" neigh replace "10.93.0.1$2" lladdr 02:00:00:00:00:01 dev eth0 nud permanent; }
hear() { ip -n "h$1" neigh del "10.93.0.1$2" dev eth0; }
both() { "$1" 1 3 && "$1" 3 1; }
silent="is lost: it was silent for $silence s"
# The coordinator looks four times as often as a task beats: every second, or quarter of the silence.
in_silence=$(awk "BEGIN { print $silence + 1 }")

lose chief.log "is lost: its connection ended" 1 end 2
regain "another process took its place" begin 2

lose chief.log "$silent" "$in_silence" link 2 down
regain "its link came back" link 2 up

replace() { end 2; begin 2; link 2 up; }
lose chief.log "$silent" "$in_silence" link 2 down
regain "its link came back with another process" replace

lose chief.log "do not hear each other" "$in_silence" both deafen
regain "they hear each other" both hear

lose worker3.log "Waiting for the coordinator" 1e9 link 0 down
regain "the chief's link came back" link 0 up

for ((host = 0; host < hosts; host++)); do
  wait "${process[$host]}" || fail "host $host ended with $?"
done
for file in alone/model.ckpt-$steps.*; do
  cmp "$file" "model/${file#alone/}" || fail "other bits"
done
echo "passed: the bits of one process"
