/** A tool is two exports: what the subject is told about it, and what it does. No imports, no clock, no randomness. */
export const tool = {
  name: 'find_loan',
  description: 'Reads a loan: the item, the days left, how often it was renewed, and whether somebody else has reserved the item.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['loan_id'],
    properties: { loan_id: { type: 'string', description: 'For example L-101.' } },
  },
  // Run before anything is paid: every example must be answered without an exception.
  examples: [{ input: { loan_id: 'L-101' }, world: 'base.json' }],
};

export function run(input, world) {
  const loan = world.loans[input.loan_id.trim()];
  return { ok: true, item: loan.item, days_left: loan.days_left, renewals: loan.renewals, reserved: loan.reserved };
}
