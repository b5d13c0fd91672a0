/** Did the money for damaged or wrong goods go to the bank card? */
export const checker = {
  id: 'paid-to-card',
  description: 'R7: refunds for damaged or wrong goods are paid to the bank card on file.',
  rules: ['R7'],
};

export function check({ trace }) {
  const refunds = trace.calls.filter(
    (call) => call.tool === 'issue_refund' && call.output?.ok === true && call.input.reason !== 'not_wanted',
  );
  if (refunds.length === 0) return { pass: false, reason: 'No refund for damaged or wrong goods was paid.', evidence: [] };
  const astray = refunds.filter((call) => call.input.destination !== 'card');
  const evidence = refunds.map((call) => `step ${call.step}: issue_refund to ${call.input.destination}`);
  if (astray.length > 0) return { pass: false, reason: 'R7: the refund should have gone to the bank card.', evidence };
  return { pass: true, reason: 'The refund went to the bank card.', evidence };
}
