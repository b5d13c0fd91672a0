/** Did the customer hear how much was paid? */
export const checker = {
  id: 'amount-said',
  description: 'After a refund the agent names the amount that was paid.',
  rules: ['R13'],
};

export function check({ trace }) {
  const refunds = trace.calls.filter((call) => call.tool === 'issue_refund' && call.output?.ok === true);
  if (refunds.length === 0) return { pass: false, reason: 'No refund was paid.', evidence: [] };
  for (const { step, input } of refunds) {
    const quote = trace.calls.find((call) => call.tool === 'quote_refund' && call.input.sku === input.sku);
    const evidence = [`step ${step}: ${input.amount_cents} cents were paid, ${quote.output.refundable_cents} were refundable`];
    if (isNamed(input.amount_cents, trace.says)) continue;
    return { pass: false, reason: `The agent never named the amount of ${input.amount_cents} cents.`, evidence };
  }
  return { pass: true, reason: 'The amount was named.', evidence: refunds.map((call) => `step ${call.step}`) };
}

function isNamed(cents, says) {
  return says.some((text) => amountsIn(text).includes(cents));
}

/** 79, 79.00 and 79,00 are one amount. */
function amountsIn(text) {
  const numbers = text.match(/\d+(?:[.,]\d{1,2})?/g) ?? [];
  return numbers.map((number) => Math.round(Number(number.replace(',', '.')) * 100));
}
