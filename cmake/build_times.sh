#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bash cmake/build_times.sh BUILD_DIR [--write FILE]
# From the build's own log (Ninja's .ninja_log): which folders and which units took how long to compile, as
# Markdown. --write puts it between the lines "<!-- build times: begin -->" and "<!-- build times: end -->" of FILE.
# Phases are given of the units compiled with cmake/timed_compiler.sh (-DNONSMOOTH_TIME_REPORT=ON).
# Without a log there is nothing to tell, which is no error.
set -uo pipefail
export LC_ALL=C

usage="bash cmake/build_times.sh BUILD_DIR [--write FILE]"
build="${1:?$usage}" file=''
if (($# > 1)); then
  if (($# != 3)) || [[ "$2" != --write ]]; then echo "$usage" >&2; exit 2; fi
  file="$3"
fi
if [[ -d "$build" ]]; then build="$(cd "$build" && pwd)"; fi
first='<!-- build times: begin -->' last='<!-- build times: end -->'
if [[ -n "$file" ]] && ! awk -v first="$first" -v last="$last" \
  '$0 == first && !begun { begun = NR } $0 == last && begun { ended = 1 } END { exit !ended }' "$file"; then
  echo "$file has no lines '$first' and '$last'" >&2
  exit 1
fi
if [[ ! -f "$build/.ninja_log" ]]; then
  echo "No build times: $build has no .ninja_log (never built, or not with Ninja)."
  exit 0
fi

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt" 2>/dev/null | head -n 1; }
home="$(cached CMAKE_HOME_DIRECTORY)"
compiler="$(cached CMAKE_CXX_COMPILER)"
build_type="$(cached CMAKE_BUILD_TYPE)"
identity="$(sed -n -E 's/^set\(CMAKE_CXX_COMPILER_(ID|VERSION) "(.*)"\)$/\2/p' \
  "$build"/CMakeFiles/*/CMakeCXXCompiler.cmake 2>/dev/null | paste -sd ' ')"

# All that is known, a line each, the kind of line first; fields end with tabs.
facts() {
  # Outputs of the build as it is configured now: the log keeps those of files that were since removed.
  sed -n -E 's/^build ([^ ]+\.(o|gch|pch))[ :].*/current\t\1/p' "$build/build.ninja" 2>/dev/null
  # Folders of the source, for unity batches whose file is gone.
  if [[ -d "$home" ]]; then
    find "$home" -mindepth 1 -type d \( -name '.?*' -o -name build -o -name CMakeFiles \) -prune -o \
      -type d -printf 'folder\t%P\n'
  fi
  # Phases, unless the object was compiled again without them.
  local phases object
  while IFS= read -r phases; do
    object="${phases%.phases}"
    [[ "$object" -nt "$phases" ]] || printf 'phases\t%s\t%s\n' "${object#"$build"/}" "$(tail -n 1 "$phases")"
  done < <(find "$build" -name '*.phases')
  awk -F '\t' 'NF == 5 && $4 ~ /\.(o|gch|pch)$/ { print "log\t" $0 }' "$build/.ninja_log"
}

# Prints the table, or nothing when the log has no compiled unit.
# shellcheck disable=SC2016  # the fields are awk's
tables='
  $1 == "current" { current[$2] = 1; ++currents }
  $1 == "folder" { folders[$2] = 1; folders_known = 1 }
  $1 == "phases" {
    n = split($3, word, " ")
    for (i = 1; i < n; i += 2) phase[$2, word[i]] = word[i + 1]
    if (n > 1) timed[$2] = 1
  }
  $1 == "log" { start[$5] = $2; end[$5] = $3; stamp[$5] = $4 / 1e6 }

  function parent(path) { return sub(/\/[^\/]*$/, "", path) ? path : "" }
  function joined(left, right) { return left == "" ? right : right == "" ? left : left "/" right }
  function in_tree(path,   root) {
    root = index(path, build "/") == 1 ? build "/" : home "/"
    return index(path, root) == 1 ? substr(path, length(root) + 1) : path
  }
  # The folder of most sources in a unity batch, from the batch itself; sets "sources".
  function folder_in_batch(file,   line, name, count, best) {
    while ((getline line < file) > 0)
      if (line ~ /^#include "/) {
        split(line, word, "\""); name = parent(in_tree(word[2])); ++sources
        if (++count[name] > count[best]) best = name
      }
    close(file)
    return best
  }
  # The same from the name of its group: the folder, with _ for each /, below the target or its src, then _<n>.
  function folder_by_name(directory, group,   name, found, best) {
    sub(/_?[0-9]+$/, "", group)
    best = joined(directory, "src")
    if (!folders_known) return group == "" || group == "src" ? best : best "/" group
    if (!(best in folders)) best = directory
    if (group == "" || group == "src") return best
    for (name in folders) {
      found = directory == "" ? name : index(name, directory "/") == 1 ? substr(name, length(directory) + 2) : ""
      gsub(/\//, "_", found)
      if (found == "src_" group) return name
      if (found == group) best = name
    }
    return best
  }
  # From an output <directory>/CMakeFiles/<target>.dir/<source>.o: sets folder, name and sources.
  function locate(output,   at, directory, target, source, group) {
    sources = 1
    source = output; sub(/\.(o|gch|pch)$/, "", source)
    at = index(source, "CMakeFiles/")
    if (!at) { folder = parent(source); name = source; return }
    directory = substr(source, 1, at - 1); sub(/\/$/, "", directory)
    source = substr(source, at + length("CMakeFiles/"))
    at = index(source, ".dir/")
    target = substr(source, 1, at - 1); source = substr(source, at + 5)
    if (source ~ /(^|\/)cmake_pch\./) {
      folder = "precompiled headers"; name = "precompiled header of " target
    } else if (source ~ /^Unity\/unity_/) {
      sources = 0
      group = source; sub(/^Unity\/unity_/, "", group); sub(/_[a-z]+\.[a-z]+$/, "", group)
      folder = folder_in_batch(build "/" joined(directory, "CMakeFiles/" target ".dir/" source))
      if (!sources) folder = folder_by_name(directory, group)
      name = folder ", batch " group (sources > 1 ? " (" sources " files)" : ""); if (!sources) sources = 1
    } else {
      while (sub(/^__\//, "", source)) directory = parent(directory)
      name = joined(directory, source); folder = parent(name)
      if (folder ~ /^examples\//) folder = "examples"
      if (folder == "") folder = "."
    }
  }

  # Starts and ends are milliseconds since the start of the ninja that did the unit. Which one that was: the
  # stamp is the time of the start or of the end (it depends on the version of ninja), the same clock for all.
  function runs(times, from, to,   output, k, n, origin, begun) {
    n = 0
    for (output in units) {
      begun = stamp[output] > 0 ? stamp[output] - times[output] : 0
      for (k = 1; k <= n; ++k) if (begun - origin[k] < 2000 && origin[k] - begun < 2000) break
      if (k > n) { ++n; origin[k] = begun; from[k] = start[output]; to[k] = end[output] }
      if (start[output] + 0 < from[k] + 0) from[k] = start[output]
      if (end[output] + 0 > to[k] + 0) to[k] = end[output]
    }
    return n
  }
  function clock(seconds) {
    seconds = int(seconds + 0.5)
    return seconds < 60 ? seconds " s" : sprintf("%d min %02d s", int(seconds / 60), seconds % 60)
  }
  function phase_cells(parse, instantiate, optimise, known) {
    if (!timed_units) return ""
    return known ? sprintf(" %.1f | %.1f | %.1f |", parse, instantiate, optimise) : " | | |"
  }
  function head(left, columns) {
    printf "| %s |%s%s\n", left, columns, timed_units ? " parse | instantiate | optimise |" : ""
    gsub(/[^|]+/, " ---: ", columns)
    printf "| :--- |%s%s\n", columns, timed_units ? " ---: | ---: | ---: |" : ""
  }

  END {
    for (output in end) if (!currents || output in current) {
      units[output] = 1; ++n_units
      locate(output); name_of[output] = name
      seconds = (end[output] - start[output]) / 1000; took[output] = seconds; total += seconds
      ++count[folder]; files[folder] += sources; n_files += sources; sum[folder] += seconds
      if (output in timed) {
        ++timed_units; ++timed_in[folder]
        parse[folder] += phase[output, "parse"]; all_parse += phase[output, "parse"]
        instantiate[folder] += phase[output, "instantiate"]; all_instantiate += phase[output, "instantiate"]
        optimise[folder] += phase[output, "optimise"]; all_optimise += phase[output, "optimise"]
        if ((output, "cpu") in phase) { ++cpu_units; cpu += phase[output, "cpu"] }
      }
    }
    if (!n_units) exit
    n_runs = runs(end, from, to); n_other = runs(start, other_from, other_to)
    for (k = 1; k <= (n_other < n_runs ? n_other : n_runs); ++k)
      wall += n_other < n_runs ? other_to[k] - other_from[k] : to[k] - from[k]
    if (n_other < n_runs) n_runs = n_other

    printf "%d units, %s of compiling (the times of all units added up)", n_units, clock(total)
    if (cpu_units == n_units) printf ", %s of it on a processor", clock(cpu)
    printf "; %s from the first start to the last end", clock(wall / 1000)
    if (n_runs > 1) printf ", over %d runs of ninja", n_runs
    printf ".  \nCompiler: %s.\n\n", compiler

    batches = (n_files > n_units)
    head("folder", (batches ? " files |" : "") " units | seconds |")
    sorter = "sort -t \"|\" -k " (batches ? "5,5" : "4,4") "rn -k 2,2"
    for (folder in count)
      printf "| %s |%s %d | %.1f |%s\n", folder, batches ? " " files[folder] " |" : "", count[folder],
             sum[folder], phase_cells(parse[folder], instantiate[folder], optimise[folder], timed_in[folder]) | sorter
    close(sorter)
    printf "| all |%s %d | %.1f |%s\n\n", batches ? " " n_files " |" : "", n_units, total,
           phase_cells(all_parse, all_instantiate, all_optimise, timed_units)

    head(n_units > 20 ? "slowest 20 units" : "units, slowest first", " seconds |")
    sorter = "sort -t \"|\" -k 3,3rn -k 2,2 | head -n 20"
    for (output in units)
      printf "| %s | %.1f |%s\n", name_of[output], took[output],
             phase_cells(phase[output, "parse"], phase[output, "instantiate"], phase[output, "optimise"],
                         output in timed) | sorter
    close(sorter)
    if (timed_units) {
      printf "\nPhases by `g++ -ftime-report`, wall clock"
      if (timed_units < n_units) printf ", known of %d of the %d units (sums are over these)", timed_units, n_units
      printf ". Instantiate: templates, whether on first need or at the end of the unit; "
      printf "parse: headers and source without these; optimise: all after, code generation too.\n"
    }
  }'

report="$(facts | awk -F '\t' -v home="$home" -v build="$build" \
  -v compiler="$compiler${identity:+ ($identity)}${build_type:+, $build_type}" "$tables")"
: "${report:="No build times: the log of $build has no compiled unit."}"

if [[ -z "$file" ]]; then
  echo "$report"
  exit 0
fi
text="$(REPORT="$report" awk -v first="$first" -v last="$last" '
  $0 == last && inside { inside = 0; done = 1 }
  !inside { print }
  $0 == first && !done { inside = 1; print ENVIRON["REPORT"] }' "$file"; echo .)" || exit 1
printf '%s' "${text%.}" >"$file"
