#!/usr/bin/env bash
# Answers the gate that waits: for exactly the design whose digest is given, in the name of whoever decided.
#   TANDEM_RUN       id of the run                       TANDEM_DIGEST    the digest that the gate was opened with
#   TANDEM_REVIEWER  who decided                         TANDEM_DECISION  approve | request-changes | reject
#   TANDEM_COMMENT   what they said; goes to the agents  TANDEM_NONCE     the same again gives the same answer
# A comment that begins with the word accept approves although a machine check found something.
set -euo pipefail
: "${TANDEM_RUN:?id of the run}" "${TANDEM_DIGEST:?digest of the design}" "${TANDEM_REVIEWER:?who decided}"
read -r -a tandem <<<"${TANDEM:-npx --no-install tandem}"
case ${TANDEM_DECISION:-approve} in
approve | request-changes | reject) ;;
*)
  echo "TANDEM_DECISION is \"$TANDEM_DECISION\": expected approve, request-changes or reject." >&2
  exit 2
  ;;
esac
accept=()
if [[ ${TANDEM_DECISION:-approve} == approve && ${TANDEM_COMMENT:-} =~ ^[Aa]ccept([^[:alnum:]]|$) ]]; then accept=(--accept); fi
# TANDEM_USER is the name in the journal.
TANDEM_USER=$TANDEM_REVIEWER "${tandem[@]}" gates "${TANDEM_DECISION:-approve}" "$TANDEM_RUN" \
  --digest "$TANDEM_DIGEST" --comment "${TANDEM_COMMENT:-}" --nonce "${TANDEM_NONCE:-$TANDEM_DIGEST}" ${accept[@]+"${accept[@]}"} --json
