#!/usr/bin/env bash
#
# Runs every fuzzer of a folder for some seconds, as many at a time as there are cores, from the corpus in
# tests/fuzz/corpus. A finding is kept in the folder; add it to the corpus with its repair.
#
#   run_fuzzers.sh FOLDER SECONDS [SEED]     SEED: of the mutations; without it, or 0, another one each time
set -euo pipefail

readonly folder="$1" seconds="$2" seed="${3:-0}"
readonly corpus="$(dirname "${BASH_SOURCE[0]}")/../tests/fuzz/corpus"

run() {
  local program="$1" name
  name="$(basename "$program")"
  name="${name#fuzz_}"
  mkdir -p "$folder/new/$name" "$corpus/$name"
  if "$program" -seed="$seed" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2500 -max_len=4096 -verbosity=0 \
    -artifact_prefix="$folder/$name-" "$folder/new/$name" "$corpus/$name" >"$folder/$name.log" 2>&1; then
    echo "fuzz_$name: nothing found in $seconds s"
  else
    tail -n 40 "$folder/$name.log"
    echo "fuzz_$name: FOUND SOMETHING, see $folder/$name.log" >&2
    return 1
  fi
}
export -f run
export folder seconds seed corpus

mapfile -t programs < <(find "$folder" -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x | sort)
if [[ ${#programs[@]} -eq 0 ]]; then
  echo "error: no fuzzers in $folder" >&2
  exit 1
fi
printf '%s\0' "${programs[@]}" | xargs -0 -n1 -P"$(nproc)" bash -c 'run "$1"' _
