/** Changes `world` in place. It refuses what is impossible, not what is forbidden: that is the subject's part. */
export const tool = {
  name: 'renew_loan',
  description: 'Renews a loan by fourteen days.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['loan_id'],
    properties: { loan_id: { type: 'string' } },
  },
  examples: [
    { input: { loan_id: 'L-101' }, world: 'base.json' },
    { input: { loan_id: 'L-999' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  const loan = world.loans[input.loan_id.trim().toUpperCase()];
  // A refusal is a result. An exception would be counted as a bug of the tool.
  if (loan === undefined) return { ok: false, error: 'there is no such loan' };
  loan.renewals += 1;
  loan.days_left += 14;
  return { ok: true, days_left: loan.days_left };
}
