#!/usr/bin/env bash
# One slice of a run: begins it, or goes on with it. Green (0) when the job has done its part: target met, a gate waits,
# or the time is used up; the result is in the outputs (status, run, gate, digest, exit_code).
#   TANDEM_SCENARIO  name in scenarios/                TANDEM_RUN      id of the run, the same in every slice
#   TANDEM_MINUTES   begin nothing new after so long   TANDEM_OPTIONS  more options, one a line
#   TANDEM           how tandem is called; default: npx --no-install tandem
set -euo pipefail
: "${TANDEM_SCENARIO:?name of the scenario}" "${TANDEM_RUN:?id of the run}"
read -r -a tandem <<<"${TANDEM:-npx --no-install tandem}"
options=()
while IFS= read -r option; do [ -z "$option" ] || options+=("$option"); done <<<"${TANDEM_OPTIONS:-}"

code=0
"${tandem[@]}" run "$TANDEM_SCENARIO" --id "$TANDEM_RUN" --continue --on-gate exit \
  --max-minutes "${TANDEM_MINUTES:-50}" --junit "${TANDEM_JUNIT:-tandem-junit.xml}" --json \
  ${options[@]+"${options[@]}"} || code=$?

case $code in
0) echo "The target is met." ;;
4) echo "A gate waits for a person." ;;
7) echo "The time is used up; the next slice goes on." ;;
*) exit "$code" ;;
esac
