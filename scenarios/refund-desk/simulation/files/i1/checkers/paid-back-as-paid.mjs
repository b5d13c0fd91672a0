/** Did the money go back the way it came? */
export const checker = {
  id: 'paid-back-as-paid',
  description: 'R8: a refund goes to the gift card or the bank card that paid for the order.',
  rules: ['R8'],
};

export function check({ before, trace }) {
  const refunds = trace.calls.filter((call) => call.tool === 'refund');
  const astray = refunds.filter((call) => call.input.destination !== rightPlace(call, before));
  const evidence = refunds.map((call) => `step ${call.step}: issue_refund to ${call.input.destination}`);
  if (astray.length > 0) return { pass: false, reason: 'R8: the refund went somewhere else than it came from.', evidence };
  return { pass: true, reason: 'The refund went back the way it came.', evidence };
}

function rightPlace(call, before) {
  const order = before.orders[call.input.order_id.trim().toUpperCase()];
  return order.paid_with;
}
