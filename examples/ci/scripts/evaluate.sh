#!/usr/bin/env bash
# For a CI system without approvals of its own: slice after slice until the run ends or a person must decide (exit 4).
# The same variables as slice.sh, and
#   TANDEM_SLICES  at most so many slices in this job; default: 10
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
outputs=${TANDEM_OUTPUTS:-tandem-outputs.txt}
export TANDEM_OUTPUTS=$outputs

for ((slice = 1; slice <= ${TANDEM_SLICES:-10}; slice++)); do
  : >"$outputs"
  bash "$here/slice.sh"
  code=$(sed -n 's/^exit_code=//p' "$outputs")
  [ "$code" = 7 ] || break
done
case $code in
4)
  digest=$(sed -n 's/^digest=//p' "$outputs")
  echo "To decide, then start this job again:"
  echo "  TANDEM_RUN=$TANDEM_RUN TANDEM_DIGEST=$digest TANDEM_REVIEWER=<you> bash $here/decide.sh"
  ;;
6) echo "The provider or the machine gave up; mend what is named above, or wait, and start this job again." ;;
7) echo "${TANDEM_SLICES:-10} slices are used up; start this job again." ;;
8) echo "Stuck: somebody must change what is named above; then: tandem resume $TANDEM_RUN" ;;
esac
exit "$code"
