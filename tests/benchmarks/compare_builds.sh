#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bash tests/benchmarks/compare_builds.sh BUILD_A BUILD_B [ROUNDS [FRICTION_FILES...]]
# Is B slower than A? Five benchmark programs of two builds, in turn, pinned to one core, ROUNDS times (11 unless given);
# of each case the smallest time of each build counts. Prints the ratios B / A that are off by 5 % or more, and for each
# program their geometric mean and number. FRICTION_FILES: folders of problem files for bench_friction_peer, which
# otherwise takes its own. Configure both builds with -DNONSMOOTH_BUILD_BENCHMARKS=ON -DSICONOS_KERNEL_LIBRARY=OFF, so
# that they run this code alone. A verdict wants two such series on a machine with nothing else to do.
set -uo pipefail

# shellcheck disable=SC2034  # read as ${!build}
a="${1:?BUILD_A}" b="${2:?BUILD_B}" rounds="${3:-11}"
files=("${@:4}")
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
pin=()
if command -v taskset >/dev/null; then pin=(taskset -c "$(($(nproc) - 1))"); fi

# measure <program> <options...>: "build case seconds" lines, one a round.
measure() {
  local program="$1" round build
  shift
  for ((round = 0; round < rounds; ++round)); do
    for build in a b; do
      rm -f "$work/out.csv"
      if ! OPENBLAS_NUM_THREADS=1 "${pin[@]}" "${!build}/tests/$program" "$@" --benchmark_out="$work/out.csv" \
        --benchmark_out_format=csv >"$work/log" 2>&1; then
        echo "failed: ${!build}/tests/$program $*" >&2
        tail -n 5 "$work/log" >&2
        return 1
      fi
      sed -n '/^name,/,$p' "$work/out.csv" |
        awk -v build="$build" '
          NR > 1 {
            line = $0; match(line, /^"[^"]*"/)
            name = substr(line, 2, RLENGTH - 2); split(substr(line, RLENGTH + 2), field, ",")
            unit = field[4] == "ns" ? 1e-9 : field[4] == "us" ? 1e-6 : field[4] == "ms" ? 1e-3 : 1
            gsub(/ /, "_", name); print build, name, field[2] * unit
          }'
    done
  done
}

report() {
  awk -v program="$1" '
    { if (!(($1, $2) in least) || $3 < least[$1, $2]) least[$1, $2] = $3; names[$2] }
    END {
      for (name in names) {
        if (!(("a", name) in least) || !(("b", name) in least) || least["a", name] <= 0) continue
        ratio = least["b", name] / least["a", name]
        sum += log(ratio); ++count
        if (ratio > 1.05 || ratio < 0.95) printf "  %-60s %9.3g s -> %9.3g s  %.3f\n", name, least["a", name], least["b", name], ratio
      }
      if (count) printf "%-28s %4d cases, geometric mean of B / A %.4f\n", program, count, exp(sum / count)
      else printf "%-28s no case\n", program
    }'
}

failed=no
measure bench_time_loop_peer | report bench_time_loop_peer || failed=yes
measure bench_disk_field '--benchmark_filter=threads:1/bodies:(100|1000|10000)/' | report bench_disk_field || failed=yes
measure bench_complementarity_peer '--benchmark_filter=-1000x1000' | report bench_complementarity_peer || failed=yes
measure bench_friction_peer "${files[@]/#/--files=}" | report bench_friction_peer || failed=yes
measure bench_event_driven_peer | report bench_event_driven_peer || failed=yes
[[ "$failed" == no ]]
