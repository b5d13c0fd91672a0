/** Reads a contract: tariff, options, end of the term; and what everything costs a month. */
export const tool = {
  name: 'read_contract',
  description: 'Reads a contract: tariff, options, end of the term; and what everything costs a month.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['customer_number'],
    properties: { customer_number: { type: 'string' } },
  },
  examples: [
    { input: { customer_number: 'C-1001' }, world: 'base.json' },
    { input: { customer_number: 'C-9' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  const customer = world.customers[input.customer_number.trim().toUpperCase()];
  if (customer === undefined) return { ok: false, error: 'there is no such customer' };
  return { ok: true, ...customer.contract, prices: { ...world.tariffs, ...world.options } };
}
