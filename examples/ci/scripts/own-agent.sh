#!/usr/bin/env bash
# Your own agent against components that are there already: evaluated, then compared with a baseline. Ends with the code
# of the comparison where there is a baseline, and else with that of the evaluation.
#   TANDEM_SCENARIO  name in scenarios/             TANDEM_BASELINE  file of tandem bless; default: none
#   TANDEM_SARIF     file for the failures          TANDEM_JUNIT     default: tandem-junit.xml
#   TANDEM_OPTIONS   more options, one a line       TANDEM_OUT       default: tandem-evaluation
#   TANDEM           how tandem is called; default: npx --no-install tandem
set -euo pipefail
: "${TANDEM_SCENARIO:?name of the scenario}"
read -r -a tandem <<<"${TANDEM:-npx --no-install tandem}"
out=${TANDEM_OUT:-tandem-evaluation}
junit=${TANDEM_JUNIT:-tandem-junit.xml}
options=()
while IFS= read -r option; do [ -z "$option" ] || options+=("$option"); done <<<"${TANDEM_OPTIONS:-}"
[ -z "${TANDEM_SARIF:-}" ] || options+=(--sarif "$TANDEM_SARIF")

code=0
"${tandem[@]}" evaluate "$TANDEM_SCENARIO" --ci --junit "$junit" --out "$out" ${options[@]+"${options[@]}"} || code=$?
# Without a verdict on every sample, or without any result, there is nothing to compare.
if [ -z "${TANDEM_BASELINE:-}" ] || [ "$code" -gt 1 ]; then exit "$code"; fi
"${tandem[@]}" compare "$out" --baseline "$TANDEM_BASELINE" --ci --junit "${junit%.xml}-compared.xml"
