#!/usr/bin/env bash
# Installs what is missing, builds Cannery and trains the shipped Titanic experiment.
# Safe to repeat. Works from any folder, on Debian 12, as root or with sudo.
set -euo pipefail
cd "$(dirname "$0")/.."

packaging/install_dependencies.sh build
export PATH="/usr/bin:$PATH"
echo "Building Cannery (release)"
cmake --preset release -DCANNERY_TESTS=OFF >/dev/null
cmake --build --preset release --target cannery -- --quiet

cannery="$PWD/build/release/app/cannery/cannery"
project="${CANNERY_PROJECT:-$PWD/build/titanic}"
mkdir -p "$project"
for file in titanic.cannery titanic_train.csv titanic_eval.csv; do
  [ -e "$project/$file" ] || cp "resources/examples/titanic/$file" "$project/"
done
echo "Training $project/titanic.cannery"
exec "$cannery" train "$project/titanic.cannery"
