#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_figures.sh: readme_figures.sh writes what programs measured and leaves other rows as they are; figures.py finds
# pages that differ from the table. The program here is a script with known answers.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" && exit 1; }

mkdir "$work/bin" "$work/build"
cat >"$work/bin/nvidia-smi" <<'END'
#!/bin/sh
[ -n "$FAKE_GPU" ] && echo "NVIDIA $FAKE_GPU 80GB HBM3"
END
cat >"$work/build/multiwalk" <<'END'
#!/bin/bash
[ "$1" != --version ] || { echo "multiwalk 0.2.0 (commit ${FAKE_COMMIT:-0123456789})" && exit; }
[ "$1" = bench ] || { echo "out of memory" && exit 3; }
for word; do case $word in --json=*) json=${word#--json=} ;; esac; done
echo '{"steps": [0.030, 0.022, 0.021, 0.020, 0.025], "error":
  {"median": 2e-4, "median_interval": [1e-4, 3e-4], "p99": 5e-4, "p99_interval": [4e-4, 7e-4]}}' >"$json"
END
chmod +x "$work"/*/*
export PATH=$work/bin:$PATH BUILD_DIR=$work/build MULTIWALK_BUILT=1 MPIEXEC=true TMPDIR=$work
measure() { "$root/tests/bench/readme_figures.sh" -o "$work/out" "$@" >"$work/said" 2>&1; }
row() { awk -F'\t' -v OFS='|' -v name="$1" '$1 == name {print $2, $4, $5; exit}' "${2:-$work/out/table.tsv}"; }

FAKE_GPU=H100 measure step hamada_resident && fail "a failing program counts as measured"
grep -q 'FAILED.*exit code 3.*out of memory' "$work/said" || fail "does not say why: $(cat "$work/said")"
[ "$(row step.ms)" = '22|4|0123456789' ] || fail "step.ms is $(row step.ms)"
[ "$(row step.p99_high)" = '0.0007|-|0123456789' ] || fail "step.p99_high is $(row step.p99_high)"
grep -q $'^step.ms\t.*\tH100, [0-9]* cores, .*\tmultiwalk bench steps .*model.particles=16777216' "$work/out/table.tsv" ||
  fail "machine or command are not in the row"
for name in hamada_resident.step box_512.seconds; do
  [ "$(row $name)" = "$(row $name "$root/tests/bench/figures/table.tsv")" ] || fail "$name has changed"
done
before=$(cat "$work/out/table.tsv")
FAKE_GPU='' measure gpu || fail "a missing GPU is an error"
grep -q 'left as it is: it needs 1 GPU, and there is none' "$work/said" || fail "does not say that the GPU is missing"
FAKE_GPU=H100 measure --minutes 0.9 gpu && fail "runs that failed pass"
grep -q 'left as it is: takes about 90 s' "$work/said" || fail "begins what cannot end in time"
FAKE_GPU=H100 measure hamada_four || fail "missing GPUs are an error"
[ "$(cat "$work/out/table.tsv" | wc -l)" = "$(wc -l <<<"$before")" ] || fail "rows were lost"
FAKE_COMMIT=0123456789-dirty measure step && fail "a program with uncommitted changes is measured"
measure nothing && fail "an unknown figure is accepted"

# Pages and table: a copy in which all rows are new enough.
copy=$work/copy
mkdir -p "$copy/tests/bench" "$copy/run/examples/results"
cp -r "$root/tests/bench/figures" "$copy/tests/bench"
for page in README.md CITATION.cff run/examples/results/README.md run/examples/lcdm_512_gpu.toml run/examples/hamada2009_gpu.toml; do
  cp "$root/$page" "$copy/$page"
done
table=$copy/tests/bench/figures/table.tsv
awk -F'\t' -v OFS='\t' 'NR > 1 {$5 = "0123456789"; $6 = "2999-01-01"} 1' "$root/tests/bench/figures/table.tsv" >"$table"
check() { python3 "$copy/tests/bench/figures/figures.py" check "$copy" >"$work/said"; }
check || fail "the pages are not those of the table: $(cat "$work/said")"
# caught WHAT MESSAGE FILE SED: the check finds the change, and says so.
caught() {
  cp "$copy/$3" "$work/kept"
  sed -i "$4" "$copy/$3"
  ! cmp -s "$copy/$3" "$work/kept" || fail "nothing to change: $1"
  check && fail "passes: $1"
  grep -q -- "$2" "$work/said" || fail "$1: says '$(cat "$work/said")'"
  cp "$work/kept" "$copy/$3"
}
row_file=tests/bench/figures/table.tsv
caught "another figure in a page" 'README.md:[0-9]*: says 1.15, the table' README.md 's/\[[0-9.]* s on four/[1.15 s on four/'
caught "a new figure" "the figure '7.25 s' has no place" README.md 's/^## Two commands/All takes 7.25 s.\n&/'
caught "a figure in a table" "the figure '31,415' has no place" run/examples/results/README.md 's/^| joules per step.*/&\n| new | 31,415 | |/'
caught "another text" 'places.txt:[0-9]*: not in README.md' README.md 's/with 562 million particles, takes/takes/'
caught "a figure without a row" 'has no row demo.minutes' $row_file '/^demo.minutes/d'
caught "another value in the table" 'says [0-9]*, the table 99 (box_512.seconds)' $row_file 's/^box_512.seconds\t[0-9.]*/box_512.seconds\t99/'
caught "another card" 'says H[12]00, the table A100' $row_file '/^hamada_host/s/\tH[12]00,/\tA100,/'
caught "a row before the last release" 'step.ms was measured on 2026-11-23, before' $row_file '/^step.ms/s/2999-01-01/2026-11-23/'
caught "uncommitted changes" "step.ms has the commit '0123456789-dirty'" $row_file '/^step.ms/s/0123456789/&-dirty/'
sed -i 's/^box_512.seconds\t[0-9.]*/box_512.seconds\t301.4/' "$table"
python3 "$copy/tests/bench/figures/figures.py" update "$copy" || fail "update does not make pages agree"
[ "$(cat "$copy/README.md" "$copy/run/examples/lcdm_512_gpu.toml" | grep -c 'takes 301 s')" = 2 ] || fail "update did not write 301 s"
diff <(sed 's/takes [0-9]* s\>/takes N s/' "$root/README.md") <(sed 's/takes [0-9]* s\>/takes N s/' "$copy/README.md") ||
  fail "update changed other text"
echo "figures and their check: passed"
