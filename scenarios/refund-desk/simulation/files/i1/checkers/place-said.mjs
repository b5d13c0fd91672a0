/** Did the customer hear where the money went? */
export const checker = {
  id: 'place-said',
  description: 'After a refund the agent names the place that it was paid to.',
  rules: ['R13'],
};

const PLACES = { card: /bank card/i, gift_card: /gift card/i };

export function check({ trace }) {
  const refunds = trace.calls.filter((call) => call.tool === 'refund');
  const unsaid = refunds.filter((call) => !trace.says.some((text) => PLACES[call.input.destination].test(text)));
  const evidence = refunds.map((call) => `step ${call.step}: issue_refund to ${call.input.destination}`);
  if (unsaid.length > 0) return { pass: false, reason: 'R13: the agent never said where the money went.', evidence };
  return { pass: true, reason: 'The place was named.', evidence };
}
