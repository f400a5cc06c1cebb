#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the subjects of commits: at most 72 characters, no full stop. Looks at the commits since the
# one that added this file, so at those of a clone that is deep enough.
#   packaging/check_commits.sh          from that commit on
#   packaging/check_commits.sh RANGE    others, as main..
set -euo pipefail
cd "$(dirname "$0")/.."

longest=72

if ! git rev-parse --quiet --verify HEAD >/dev/null; then
  echo "This is not a git clone, so its commits are unknown."
  exit 0
fi

if [ $# -gt 0 ]; then
  range=("$@")
else
  first="$(git log --diff-filter=A --format=%H -- packaging/check_commits.sh | tail -n 1)"
  # A shallow clone, or one in which the file is new: the last commit.
  if [ -n "$first" ] && git rev-parse --quiet --verify "$first^" >/dev/null; then
    range=("$first^..HEAD")
  else
    range=(-1 HEAD)
  fi
fi

status=0
while IFS=$'\t' read -r commit subject; do
  if [ "${#subject}" -gt $longest ]; then
    echo "$commit: the subject has ${#subject} characters, at most $longest: $subject" >&2
    status=1
  elif [[ "$subject" == *. ]]; then
    echo "$commit: the subject ends with a full stop: $subject" >&2
    status=1
  fi
done < <(git log --no-merges --format='%h%x09%s' "${range[@]}")
exit $status
