# SPDX-License-Identifier: Apache-2.0
# Completion of nonsmooth for bash:  source <(nonsmooth completion bash)

_nonsmooth_solvers() {  # names of the algorithms, '-' for ' '
  "${COMP_WORDS[0]}" solvers --json 2>/dev/null | sed -n 's/.*"name": "\([^"]*\)".*/\1/p' | tr ' ' '-' | sort -u
}

_nonsmooth() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words
  local classes='lcp relay mlcp soclcp friction plasticity mixed rolling global-friction global-rolling qp vi cone-program mcp mpcc quasi'
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words='info solve replay solvers convert completion run-info extract compare plot view paraview help --help --version'
  elif [[ $previous == --solver ]]; then
    words=$(_nonsmooth_solvers)
  elif [[ $previous == --class ]]; then
    words=$classes
  elif [[ $previous == --tolerance || $previous == --max-iterations || $previous == --time-limit ||
          $previous == --steps || $previous == --frames || $previous == --megabytes || $previous == --title || $previous == --x ||
          $previous == --compression ]]; then
    return
  elif [[ $current == -* ]]; then
    case $command in
      info) words='--class --json --help' ;;
      solve) words='--solver --tolerance --max-iterations --time-limit --class --solution --json --help' ;;
      replay) words='--solver --tolerance --max-iterations --time-limit --json --help' ;;
      solvers) words='--json --help' ;;
      convert) words='--class --help' ;;
      run-info) words='--json --help' ;;
      extract) words='--output --steps --contacts --help' ;;
      compare) words='--tolerance --restarted --json --help' ;;
      plot) words='--output --x --log --spectrum --help' ;;
      view) words='--output --title --frames --megabytes --three --help' ;;
      paraview) words='--output --frames --no-contacts --doubles --compression --help' ;;
      *) words='--help' ;;
    esac
  elif [[ $command == solvers ]]; then
    words=$classes
  elif [[ $command == help ]]; then
    words='info solve replay solvers convert completion run-info extract compare plot view paraview'
  elif [[ $command == completion ]]; then
    words='bash zsh'
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _nonsmooth nonsmooth
