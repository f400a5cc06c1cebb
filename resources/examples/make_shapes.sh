#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws the pictures of the example 'shapes' anew, with ImageMagick: circles and triangles of any
# size, place and colour on a shaded ground. The same pictures each time, up to the version of
# ImageMagick. Usage: resources/examples/make_shapes.sh
set -euo pipefail
cd "$(dirname "$0")/shapes"
rm -rf pictures

side=64
RANDOM=20261130
# between LEAST MOST: a whole number
between() { echo $(($1 + RANDOM % ($2 - $1 + 1))); }
# colour LEAST MOST: of each channel
colour() { echo "rgb($(between "$1" "$2"),$(between "$1" "$2"),$(between "$1" "$2"))"; }

# draw FILE SHAPE
draw() {
  local radius x y turn points
  radius=$(between 9 20)
  x=$(between $((radius + 2)) $((side - radius - 2)))
  y=$(between $((radius + 2)) $((side - radius - 2)))
  if [ "$2" = circle ]; then
    points="circle 0,0 $radius,0"
  else
    points="polygon 0,-$radius $((radius * 87 / 100)),$((radius / 2)) -$((radius * 87 / 100)),$((radius / 2))"
  fi
  turn=$(between 0 119)
  convert -size ${side}x${side} gradient:"$(colour 0 110)"-"$(colour 0 110)" \
    -fill "$(colour 140 255)" -draw "translate $x,$y rotate $turn $points" \
    -seed "$RANDOM" -attenuate 0.25 +noise Gaussian -quality 80 -strip "$1"
}

for split in "train 40" "validation 12"; do
  read -r folder count <<<"$split"
  for shape in circle triangle; do
    mkdir -p "pictures/$folder/$shape"
    for i in $(seq -w 1 "$count"); do
      draw "pictures/$folder/$shape/$shape-$i.jpg" "$shape"
    done
  done
done
