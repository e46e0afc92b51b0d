# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Shared by cmake/demo.sh, cmake/test.sh and .ci/run; to be sourced.

source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=cmake/progress.sh
source "$source_dir/cmake/progress.sh"

# The packages of the given groups that are not installed, one a line.
missing_packages() {
  local group name alternative found wanted=" $* "
  while read -r group name; do
    [[ -z "$group" || "$group" == \#* || "$wanted" != *" $group "* ]] && continue
    found=no
    for alternative in ${name//|/ }; do
      if [[ "$(dpkg-query -W -f '${db:Status-Status}' "$alternative" 2>/dev/null)" == installed* ]]; then found=yes; fi
    done
    [[ "$found" == yes ]] || echo "${name%%|*}"
  done <"$source_dir/cmake/dependencies.txt"
}

# Installs what the groups lack; where that is not possible, prints the line to run and returns 1.
require_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "Not a Debian or Ubuntu system: packages are not checked; see cmake/dependencies.txt."
    return 0
  fi
  local missing=() as_root=()
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then as_root=(sudo); fi
  if ((EUID == 0)) || command -v sudo >/dev/null; then
    echo "Installing: ${missing[*]}"
    if "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}"; then
      return 0
    fi
  fi
  echo "Packages are missing and could not be installed from here. Please run:" >&2
  echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
  return 1
}

step_names=()
step_states=()
step_seconds=()
not_tried=77    # what a step returns that lacks a tool which is not asked for
any_failed=no   # a step failed
blocked=no      # ... and what follows makes no sense without it

# run_step <name> <command...>: runs it, notes state and seconds; skipped after a failed needed step.
run_step() {
  local name="$1" start end status=0 state=ok
  shift
  start=$(date +%s)
  if [[ "$blocked" == yes ]]; then
    state=skipped
  else
    printf '\n=== %s\n' "$name"
    "$@" || status=$?
    case "$status" in
      0) ;;
      "$not_tried") state="not tried" ;;
      *) state=FAILED any_failed=yes ;;
    esac
  fi
  end=$(date +%s)
  step_names+=("$name")
  step_states+=("$state")
  step_seconds+=("$((end - start))")
  [[ "$state" == ok || "$state" == "not tried" ]]
}

# need_step: the same for a step that all later ones build on.
need_step() {
  run_step "$@" || { blocked=yes; return 1; }
}

# print_summary <title>: the table of steps; returns 1 when one failed.
print_summary() {
  local i
  printf '\n%s\n%-44s %-9s %7s\n' "$1" step state seconds
  for i in "${!step_names[@]}"; do
    printf '%-44s %-9s %7s\n' "${step_names[$i]}" "${step_states[$i]}" "${step_seconds[$i]}"
  done
  [[ "$any_failed" == no ]]
}

# run_tests <build folder> <jobs> [ctest's options...]: ctest, and one line for each reason to skip tests.
run_tests() {
  local build="$1" jobs="$2" status report
  shift 2
  report="$(cd "$build" && pwd)/tests.xml"
  ctest --test-dir "$build" --output-on-failure --parallel "$jobs" --output-junit "$report" "$@" |
    sed -u '/^The following tests did not run:/d; /(Skipped)$/d; /\*\*\*Skipped/d'
  status=${PIPESTATUS[0]}
  [[ -f "$report" ]] || return "$status"
  # GoogleTest prints "file:line: Skipped", then the reason.
  awk '
    /<testcase / { skipped = 0 }
    /<skipped/ { skipped = 1 }
    wanted { sub(/^[[:space:]]+/, ""); sub(/&#x0A;.*|<.*/, ""); if ($0 != "") { ++count[$0]; wanted = 0 } }
    skipped && /: Skipped/ { wanted = 1; skipped = 0 }
    END { for (reason in count) printf "%d skipped: %s\n", count[reason], reason }' "$report" | sort -rn
  return "$status"
}

# configure <build folder> <options...>; CMAKE_ARGS comes last, so that it wins. Ninja in a new folder where there is one.
configure() {
  local build="$1" generator=() extra=()
  shift
  if [[ ! -f "$build/CMakeCache.txt" ]] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
  read -r -a extra <<<"${CMAKE_ARGS:-}"
  cmake -S "$source_dir" -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release "$@" "${extra[@]}"
}
