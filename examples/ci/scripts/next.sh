#!/usr/bin/env bash
# Starts the workflow again for the same run: the time is used up, or a gate was answered. No job waits for a person.
set -euo pipefail
: "${TANDEM_SCENARIO:?}" "${TANDEM_RUN:?}" "${GITHUB_RUN_ID:?}" "${TANDEM_WORKFLOW:?file name of the workflow}"
gh workflow run "$TANDEM_WORKFLOW" --ref "${GITHUB_REF_NAME:?}" \
  --field scenario="$TANDEM_SCENARIO" --field run="$TANDEM_RUN" --field from="$GITHUB_RUN_ID"
