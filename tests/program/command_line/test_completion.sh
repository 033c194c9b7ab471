#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bash completes commands, options and parameters; messages on misspelt words name what was meant; parameters are listed
# by name.
#   test_completion.sh MULTIWALK
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../../support/refusals.sh"
multiwalk=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

"$multiwalk" completion bash >script.sh || report "no script"
source script.sh
complete -p multiwalk | grep -q -- '-F _multiwalk' || report "bash knows no completion: $(complete -p multiwalk)"

# completes WORDS... : EXPECTED...: the last word is completed to exactly these.
completes() {
  COMP_WORDS=(multiwalk)
  while [ "$1" != : ]; do COMP_WORDS+=("$1") && shift; done
  shift
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  _multiwalk 2>/dev/null
  [ "${COMPREPLY[*]}" = "$*" ] || report "${COMP_WORDS[*]} is completed to '${COMPREPLY[*]}', wanted '$*'"
}
completes ru : run
completes p : profile power params plan
completes run --re : --restart
completes run demo.toml --pro : --progress
completes run demo : 
completes run demo.toml --set output.image_p : output.image_pixels=
completes bench d : direct
completes bench direct --je : --jerk
completes --ver : --version

# Everything that the help of a command lists is there.
for command in $("$multiwalk" completion bash | sed -n "s/^    '') commands='\([^']*\)'.*/\1/p"); do
  for option in $("$multiwalk" $command --help | sed -nE 's/^  (-[a-zA-Z],)?(--[a-z0-9-]+).*/\2/p'); do
    grep -q "^    '$command') .*[' ]$option[' ]" script.sh || report "no completion of $command $option"
  done
done
"$multiwalk" completion zsh | head -n 2 | grep -q 'compdef multiwalk' || report "zsh"
refuses 'shell' "$multiwalk" completion tcsh

refuses 'unknown command rnu; did you mean run\?' "$multiwalk" rnu demo.toml
refuses 'unknown command zebra \(see' "$multiwalk" zebra
refuses 'unknown command forced; did you mean forces\?' "$multiwalk" bench forced
refuses 'unknown option --quite; did you mean --quiet\?' "$multiwalk" run demo.toml --quite
refuses 'unknown option --sed; did you mean --set\?' "$multiwalk" run demo.toml --sed=run.threads=1
refuses 'unknown option --completely-else \(see' "$multiwalk" run demo.toml --completely-else
echo '[run]' >run.toml
refuses '\[output\] has redshifts' "$multiwalk" run run.toml --set output.merger_trees=true

"$multiwalk" params force >force.txt && grep -q '^force.theta' force.txt && ! grep -qE '^[a-eg-z]' force.txt || report "params force"
[ "$("$multiwalk" params force.theta | grep -c '^[a-z]')" -eq 1 ] || report "params force.theta"
[ "$("$multiwalk" params | grep -c '^[a-z]')" -gt 50 ] || report "params"
refuses 'unknown section farce; the nearest is \[force\]' "$multiwalk" params farce
refuses 'unknown key force.thetta; the nearest valid key is force.theta' "$multiwalk" params force.thetta
[ $failures -eq 0 ] && echo "words are completed, slips are named"
exit $((failures > 0))
