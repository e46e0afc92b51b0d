# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# To be sourced; needs nothing else. build_with_progress BUILD_DIR JOBS [TARGET...] is cmake --build, and says
# meanwhile how long is left; returns what cmake returns. On a terminal one line is rewritten in place, elsewhere a
# line is added every 10 seconds at most; what the compiler, CMake and ninja have to say is shown in full.
# With another generator than Ninja it is plain cmake --build.

# What will be built, a line each: <output> <tab> <weight>. The weights are milliseconds: of an earlier build in this
# folder; of a new unit, from its bytes in BUILD_DIR/unit_sizes.txt ("<output> <bytes>", optional), else the mean.
_units_to_build() {
  local build="$1" ninja
  shift
  ninja="$(sed -n 's/^CMAKE_MAKE_PROGRAM:[A-Z]*=//p' "$build/CMakeCache.txt")"
  {
    sed -n 's/^[0-9]/before\t&/p' "$build/.ninja_log" || true
    sed -E 's/^(.*) ([0-9]+)$/bytes\t\1\t\2/' "$build/unit_sizes.txt" || true
    # A dry run. Named in full, build.ninja is none of its own outputs, so that ninja does not stop to renew it.
    NINJA_STATUS=$'@unit\t' "$ninja" -C "$build" -n -f "$(cd "$build" && pwd)/build.ninja" "$@" </dev/null
  } 2>/dev/null | LC_ALL=C awk -F '\t' '
    $1 == "before" && NF == 6 { before[$5] = $3 - $2 }
    $1 == "bytes" { bytes[$2] = $3 + 7000 } # of this library, headers take each unit as long as 7 kB of its source
    $1 == "@unit" { sub(/^.* /, "", $2); unit[++n] = $2 }
    END {
      for (name in bytes) if (name in before) { time += before[name]; known += bytes[name] }
      per_byte = time > 0 ? time / known : 0.3
      for (i = 1; i <= n; ++i) {
        name = unit[i]; compiled[i] = name ~ /\.(o|gch|pch)$/
        weight[i] = name in before ? before[name] : name in bytes ? bytes[name] * per_byte : 0
        if (compiled[i] && weight[i]) { sum += weight[i]; ++weighed }
      }
      mean = weighed ? sum / weighed : 4000 # of a link or a copy, a tenth
      for (i = 1; i <= n; ++i) printf "%s\t%d\n", unit[i], weight[i] ? weight[i] : compiled[i] ? mean : mean / 10
    }'
}

_minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# _show_progress <jobs> <units>: from ninja's output on stdin, progress and all lines that are not ninja's own count.
_show_progress() {
  local jobs="$1" line='' part name='' ready=0 total=0 planned=0 worked=0 value mean begin=$SECONDS last=$SECONDS
  local status left passed text clear='' pause=10 count='^@unit ([0-9]+) ([0-9]+) (.*)$'
  local -A weight=()
  while IFS=$'\t' read -r part value; do
    if [[ -n "$part" ]]; then weight["=$part"]=$value total=$((total + value)) planned=$((planned + 1)); fi
  done <<<"$2"
  mean=$((planned ? total / planned : 4000))
  if [[ -t 1 ]]; then clear=$'\r\e[K' pause=1; fi
  while :; do
    status=0
    IFS= read -r -t 1 part || status=$?
    line+="$part" # the time may be up within a line
    if ((status <= 128)); then
      if ((status)) && [[ -z "$line" ]]; then break; fi
      if [[ ! "$line" =~ $count ]]; then
        printf '%s%s\n' "$clear" "$line"
      elif [[ "${BASH_REMATCH[3]}" != Re-* ]]; then # Re-running CMake, Re-checking globbed directories
        ready="${BASH_REMATCH[1]}" value="${BASH_REMATCH[2]}" part="${BASH_REMATCH[3]##* }"
        worked=$((worked + ${weight["=$part"]:-$mean}))
        total=$((total + (value - planned) * mean)) planned=$value
        name="${part/CMakeFiles\/*.dir\//}" name="${name%.o}"
      fi
      line=''
    fi
    if ((planned == ready || SECONDS - last < pause)); then continue; fi
    # What runs now is half done, on average. The speed is as measured, but begins with 10 s at that of the weights.
    last=$SECONDS passed=$((SECONDS - begin)) left=$((total > worked ? total - worked : 0))
    value=$(((jobs < planned - ready ? jobs : planned - ready) * left / (planned - ready) / 2))
    left=$(((left - value) * (passed + 10) / (worked + value + 10000 * jobs)))
    printf -v text '[%*d/%d]  %s passed, about %s left  %s' \
      ${#planned} "$ready" "$planned" "$(_minutes "$passed")" "$(_minutes "$left")" "$name"
    if [[ -n "$clear" ]]; then printf '%s%s' "$clear" "${text:0:${COLUMNS:-80} - 1}"; else echo "$text"; fi
  done
  if ((ready)); then printf '%s[%d/%d]  %s passed\n' "$clear" "$ready" "$planned" "$(_minutes $((SECONDS - begin)))"; fi
}

build_with_progress() {
  local build="$1" jobs="$2" command=(cmake --build "$1" --parallel "$2") units
  shift 2
  if (($#)); then command+=(--target "$@"); fi
  if ! grep -qx 'CMAKE_GENERATOR:INTERNAL=Ninja' "$build/CMakeCache.txt"; then
    "${command[@]}"
    return
  fi
  units="$(_units_to_build "$build" "$@" || true)"
  NINJA_STATUS='@unit %f %t ' "${command[@]}" 2>&1 | _show_progress "$jobs" "$units"
  return "${PIPESTATUS[0]}"
}
