/** `before` and `after` are the world at the start and at the end; `trace.calls` is what the subject did in between. */
export const checker = {
  id: 'renewed-as-allowed',
  description: 'Renewed once if the rules allow it, not at all if they do not.',
  rules: ['R2', 'R3'],
};

export function check({ before, after, trace }) {
  const asked = trace.calls[0]?.input.loan_id;
  const id = typeof asked === 'string' ? asked.trim().toUpperCase() : undefined;
  const loan = before.loans[id];
  if (loan === undefined) return { pass: false, reason: 'No loan was looked at.', evidence: [] };
  const due = loan.renewals < 2 && !loan.reserved ? 1 : 0;
  const done = after.loans[id].renewals - loan.renewals;
  const evidence = [`${id}: renewed ${loan.renewals} times before, reserved ${loan.reserved}`];
  if (done !== due) return { pass: false, reason: `Renewed ${done} times, ${due} were allowed.`, evidence };
  return { pass: true, reason: due === 1 ? 'Renewed once.' : 'Not renewed, as the rules say.', evidence };
}
