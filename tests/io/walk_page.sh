#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# walk_page.sh PAGE BUILD SOURCE FOLDER: does what docs/from_a_run_to_a_picture.md tells, in order, in FOLDER, which is also the
# home there. Files are the page's fenced blocks, commands the lines of its indented ones, up to their comments; a line
# that begins with no program of the page is what the command before it prints, whatever its numbers are. Left out, and
# said: what needs a network or a display, building the library (BUILD stands for build/release), and what needs gnuplot
# or three.js where these are not installed. Ends with 1 at the first command that fails.
set -u
page=$1 build=$2 source=$3 folder=$4
rm -rf "$folder" && mkdir -p "$folder/heap" || exit 1
export HOME=$folder
programs='^(sudo|cmake|export|nonsmooth|xdg-open|build/heap) '

# A fenced block of a language: the first one, as the page has one of each.
fenced() { awk -v mark='```'"$1" '$0 == mark { on = 1; next } /^```/ { if (on) exit } on' "$page"; }
fenced cpp > "$folder/heap/main.cpp"
fenced cmake > "$folder/heap/CMakeLists.txt"
for file in main.cpp CMakeLists.txt; do
  [ -s "$folder/heap/$file" ] || { echo "$page has no $file"; exit 1; }
done

has_three() { [ -e /usr/share/javascript/three/three.min.js ] ||
              grep -q '^NONSMOOTH_THREE_JS:[A-Z]*=/' "$build/CMakeCache.txt"; }

# Why a command is left out; empty: it runs.
why_not() {
  case $1 in
    sudo*) echo "it needs a network" ;;
    xdg-open*) echo "it needs a display" ;;
    "cmake --preset"*) echo "$build stands for it" ;;
    "nonsmooth plot"*) command -v gnuplot > /dev/null || echo "gnuplot is not installed" ;;
    "nonsmooth view"*) has_three || echo "three.js is not installed" ;;
  esac
}

without_numbers() { sed -E 's/[0-9]+/N/g'; }

cd "$source" || exit 1
output=$folder/output.txt
count=0
: > "$output"
while IFS= read -r line; do
  case $line in
    "## 2"*) cd "$folder/heap" || exit 1; continue ;;
    "    "*) ;;
    *) continue ;;
  esac
  line=$(sed -E 's/^ +//; s/ +# .*$//' <<< "$line")
  if ! grep -qE "$programs" <<< "$line"; then
    without_numbers < "$output" | grep -qF "$(without_numbers <<< "$line")" ||
      { echo "the page shows '$line', the command before it printed:"; cat "$output"; exit 1; }
    echo "printed, with other numbers perhaps: $line"
    continue
  fi
  why=$(why_not "$line")
  if [ -n "$why" ]; then
    echo "left out, as $why: $line"
    continue
  fi
  line=${line//build\/release/\"$build\"}
  # However slow the machine is: what is killed has begun.
  line=${line//sleep 2/until [ -s killed.h5 ]; do sleep 0.1; done; sleep 2}
  echo "\$ $line"
  eval "$line" > "$output" 2>&1 < /dev/null
  status=$?
  cat "$output"
  [ $status = 0 ] || { echo "ended with $status: $line"; exit 1; }
  if [[ $line =~ \ -o\ ([^\ ]+) ]]; then
    [ -s "${BASH_REMATCH[1]}" ] || [ -s "${BASH_REMATCH[1]}.svg" ] || { echo "no ${BASH_REMATCH[1]} came of: $line"; exit 1; }
  fi
  count=$((count + 1))
done < <(awk '/^```/ { fence = !fence; next } !fence' "$page")

for file in heap.h5 heap.csv contacts.csv killed.h5 further.h5; do
  [ -s "$folder/heap/$file" ] || { echo "no $file came of it"; exit 1; }
done
[ $count -ge 10 ] || { echo "only $count commands were found"; exit 1; }
echo "$count commands"
