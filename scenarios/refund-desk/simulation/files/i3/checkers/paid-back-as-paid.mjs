/** Did the money go back the way it came, unless R7 sends it to the bank card? */
export const checker = {
  id: 'paid-back-as-paid',
  description: 'R8 with its exception: damaged or wrong goods go to the bank card (R7), everything else goes back the way it was paid.',
  rules: ['R7', 'R8'],
};

export function check({ before, trace }) {
  const refunds = trace.calls.filter((call) => call.tool === 'issue_refund' && call.output?.ok === true);
  if (refunds.length === 0) return { pass: false, reason: 'No refund was paid.', evidence: [] };
  const astray = refunds.filter((call) => call.input.destination !== rightPlace(call, before));
  const evidence = refunds.map((call) => `step ${call.step}: issue_refund to ${call.input.destination}, ${call.input.reason}`);
  if (astray.length > 0) return { pass: false, reason: 'The refund went somewhere else than R7 and R8 say.', evidence };
  return { pass: true, reason: 'The refund went where R7 and R8 say.', evidence };
}

function rightPlace(call, before) {
  if (call.input.reason !== 'not_wanted') return 'card';
  return before.orders[call.input.order_id.trim().toUpperCase()].paid_with;
}
