/** Cancels a contract to a day. */
export const tool = {
  name: 'cancel_contract',
  description: 'Cancels a contract to a day.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['customer_number', 'to'],
    properties: { customer_number: { type: 'string' }, to: { type: 'string', description: 'The last day, as 2026-09-30.' } },
  },
  examples: [
    { input: { customer_number: 'C-1001', to: '2026-09-30' }, world: 'base.json' },
    { input: { customer_number: 'C-9', to: '2026-09-30' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  const customer = world.customers[input.customer_number.trim().toUpperCase()];
  if (customer === undefined) return { ok: false, error: 'there is no such customer' };
  customer.contract.cancelled_to = input.to.trim();
  return { ok: true, cancelled_to: customer.contract.cancelled_to };
}
