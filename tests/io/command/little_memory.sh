#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# little_memory.sh PROGRAM: the command under a small address space says and solves what it does without a limit.
# 150,000 kB hold the program and its libraries (100,000 kB) and not the buffers of a second thread of BLAS.
set -u
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '2\n0\n2\n2\n2 2\n2\n1\n1\n2\n-5\n-6\n' > "$folder/small.dat"
unset OPENBLAS_NUM_THREADS GOTO_NUM_THREADS OMP_NUM_THREADS
without_times() { sed 's/[0-9.e+-]*$//; s/  *$//'; } # of tables, whose last column is as wide as its longest entry
failures=0
for arguments in --help "solve --help" "solvers lcp" "solve --class lcp --solution $folder/z.csv $folder/small.dat"; do
  # shellcheck disable=SC2086  # the words are arguments
  wanted=$("$program" $arguments 2>&1 | without_times)
  # shellcheck disable=SC2086
  found=$(ulimit -v 150000 && timeout 20 "$program" $arguments 2>&1; echo "exit code $?")
  code=${found##*exit code }
  found=$(printf '%s\n' "${found%exit code *}" | without_times)
  if [ "$code" != 0 ] || [ "$(printf '%s' "$found")" != "$(printf '%s' "$wanted")" ]; then
    printf 'nonsmooth %s under 150,000 kB: exit code %s\n%s\n' "$arguments" "$code" "$found"
    failures=1
  fi
done
exit $failures
