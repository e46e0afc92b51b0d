#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# As CMAKE_CXX_COMPILER_LAUNCHER: runs the compiler, and notes how long g++ spent in which phase.
# What g++ -ftime-report says of a compile goes as a line to <output>.phases, where cmake/build_times.sh
# looks (its last line counts); everything else, the exit status too, is the compiler's.
# Commands that compile nothing, and other compilers than g++ and gcc, are run as they are.
#
# The line holds names and seconds of wall clock (cpu: of user and system time, where g++ tells):
#   parse P instantiate I optimise O cpu C
# g++ has phases (setup, parsing, lang. deferred, opt and generate) that add up to the total, and finer
# timers below them. "phase lang. deferred" is what is left to do at the end of the unit: mostly function
# templates. Templates needed sooner (classes, constant expressions) fall into "phase parsing". The timer
# "template instantiation" counts both, and nothing in "opt and generate"; with Eigen it is 10 to 30 % above
# the deferred phase in large units, twice to three times in small ones. Hence
#   instantiate = template instantiation,
#   parse       = setup + parsing + lang. deferred - template instantiation,
#   optimise    = opt and generate, and any other phase.
set -uo pipefail

# The compiler, behind a cache if there is one; c++ and cc are mere links to it.
compiler="${1:-}"
case "${compiler##*/}" in
  ccache | sccache | distcc) compiler="${2:-}" ;;
esac
case "${compiler##*/}" in
  c++ | cc) compiler="$(readlink -f "$(command -v "$compiler")")" ;;
esac
case "${compiler##*/}" in
  *clang*) known=no ;;
  *g++* | *gcc*) known=yes ;;
  *) known=no ;;
esac

# A compile: to an object (-c) or a precompiled header (-x c++-header, which need not have -c).
compiles=no output='' previous=''
for argument in "$@"; do
  case "$argument" in
    -c) compiles=yes ;;
    -o?*) output="${argument#-o}" ;;
    -x*-header) compiles=yes ;;
  esac
  case "$previous" in
    -o) output="$argument" ;;
    -x) [[ "$argument" == *-header ]] && compiles=yes ;;
  esac
  previous="$argument"
done
if [[ "$known" == no || "$compiles" == no || -z "$output" ]]; then exec "$@"; fi

# The report begins with an empty line and "Time variable ...", the names of its columns, and ends with TOTAL.
# Since g++ 14 the columns of user and system time are missing.
# shellcheck disable=SC2016  # the fields are awk's
take_report='
  function pass(line) { for (; empty > 0; --empty) print "" > "/dev/stderr"; print line > "/dev/stderr" }
  !inside && /^Time variable +.* wall / {
    inside = 1; empty = 0
    for (i = 3; i <= NF; ++i) column[$i] = i - 2
    next
  }
  !inside && /^$/ { ++empty; next }
  !inside { pass($0); next }
  {
    at = index($0, ":"); name = substr($0, 1, at - 1); rest = substr($0, at + 1)
    gsub(/^ +| +$/, "", name); gsub(/\([^)]*\)/, "", rest); split(rest, value, " ")
    wall = value[column["wall"]]
    if (name == "template instantiation") instantiate = wall
    else if (name == "phase setup" || name == "phase parsing") front += wall
    else if (name == "phase lang. deferred") front += wall
    else if (name ~ /^phase /) back += wall
    else if (name == "TOTAL") {
      inside = 0; found = 1
      cpu = "usr" in column ? sprintf(" cpu %.2f", value[column["usr"]] + value[column["sys"]]) : ""
    }
  }
  END {
    for (; empty > 0; --empty) print "" > "/dev/stderr"
    if (found) printf "parse %.2f instantiate %.2f optimise %.2f%s\n",
                      front - instantiate, instantiate, back, cpu
  }'
{
  phases="$("$@" -ftime-report 2>&1 >&3 3>&- | LC_ALL=C awk "$take_report"; exit "${PIPESTATUS[0]}")"
  status=$?
} 3>&1
if ((status == 0)) && [[ -n "$phases" ]]; then echo "$phases" >>"$output.phases"; fi
exit "$status"
