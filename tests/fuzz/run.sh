#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Coverage-guided fuzzing: builds every target with clang's libFuzzer, ASan and UBSan and runs each
# for the given number of seconds.
#
#   tests/fuzz/run.sh [--grow | --same] [SECONDS_PER_TARGET [TARGET...]]
#
# Every run tries different inputs; with --same they are always the same, and few enough for a slow
# machine: for a test command, which must not fail by chance.
#
# Exits with 1 if an input crashes, leaks, takes longer than 10 s or more than 2 GiB; that input is
# printed and kept: add it to tests/fuzz/corpus/<target>/ under a descriptive name. Other interesting
# inputs go into a folder outside the tree, or with --grow (after filtering) into the corpus, which
# never shrinks: filtering only adds files that reach new code. Without clang there is nothing to
# run: the script says so and exits with 77.
set -eu

root=$(CDPATH='' cd "$(dirname "$0")/../.." && pwd)
grow=no
same=no
case "${1:-}" in
--grow)
    grow=yes
    shift
    ;;
--same)
    same=yes
    shift
    ;;
esac
seconds=${1:-10}
[ $# -gt 0 ] && shift

if ! command -v clang++-14 >/dev/null; then
    echo "fuzz: clang++-14 is not installed (Debian: clang-14 libclang-rt-14-dev)"
    exit 77
fi

cd "$root"
build=build/fuzz
if [ ! -e $build/build.ninja ]; then
    cmake --preset fuzz >/dev/null
fi
cmake --build $build --target fuzz_targets >$build/fuzz_build.log 2>&1 || {
    tail -n 40 $build/fuzz_build.log
    exit 1
}

work=$(mktemp -d "${TMPDIR:-/tmp}/cannery_fuzz.XXXXXX")
found=${CANNERY_FUZZ_FOUND:-$work/found}
targets=${*:-$(ls tests/fuzz/corpus)}
# leveldb's, protobuf's and zlib's own allocations are seen too; a null allocation is our error.
export ASAN_OPTIONS=allocator_may_return_null=0:detect_leaks=1:abort_on_error=0:exitcode=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
# Wider kernels are built without sanitizers (kernels/CMakeLists.txt).
export CANNERY_CPU_LEVEL=x86-64-v3

# fuzz_one TARGET: runs it and says what came of it; fails if something was found.
fuzz_one() {
    target=$1
    mkdir -p "$found/$target" "$work/bad/$target"
    dictionary=tests/fuzz/dictionaries/$target.dict
    set -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -artifact_prefix="$work/bad/$target/" -print_final_stats=1
    # Ends by the number of inputs; by time only on a very slow machine, on which the first of the
    # same inputs were then fine.
    [ $same = yes ] && set -- "$@" -seed=1 -runs=5000 -timeout=60
    [ -e "$dictionary" ] && set -- "$@" -dict="$dictionary"
    if TMPDIR=$work $build/tests/fuzz/fuzz_"$target" "$@" "$found/$target" \
        "tests/fuzz/corpus/$target" >"$work/$target.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log")
        memory=$(sed -n 's/^stat::peak_rss_mb: *//p' "$work/$target.log")
        echo "fuzz: $target: ${runs:-?} inputs, at most ${memory:-?} MiB, nothing found"
        if [ $grow = yes ]; then
            $build/tests/fuzz/fuzz_"$target" -merge=1 "tests/fuzz/corpus/$target" \
                "$found/$target" >/dev/null 2>&1
        fi
    else
        echo "fuzz: $target: FAILED"
        tail -n 60 "$work/$target.log"
        find "$work/bad/$target" -type f -printf 'fuzz: the input is kept: %p\n'
        return 1
    fi
}

# fuzz_share N: every at_once-th target, from the N-th.
fuzz_share() {
    number=0
    bad=0
    for name in $targets; do
        number=$((number + 1))
        [ $((number % at_once)) = "$1" ] || continue
        fuzz_one "$name" >"$work/$name.said" 2>&1 || bad=1
        cat "$work/$name.said"
    done
    return $bad
}

# Ctrl-C also ends what runs in the background.
trap 'trap - TERM; kill 0' INT
# As many as the smallest machine has cores.
at_once=2
fuzz_share 0 &
other=$!
failed=0
fuzz_share 1 || failed=1
wait $other || failed=1
if [ $failed = 0 ] && [ -z "${CANNERY_FUZZ_FOUND:-}" ]; then
    rm -rf "$work"
fi
exit $failed
