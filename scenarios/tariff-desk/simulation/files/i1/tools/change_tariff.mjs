/** Changes the tariff of a contract from today. */
export const tool = {
  name: 'change_tariff',
  description: 'Changes the tariff of a contract from today.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['customer_number', 'tariff'],
    properties: { customer_number: { type: 'string' }, tariff: { type: 'string', enum: ['small', 'medium', 'large'] } },
  },
  examples: [
    { input: { customer_number: 'C-1001', tariff: 'large' }, world: 'base.json' },
    { input: { customer_number: 'C-9', tariff: 'large' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  const customer = world.customers[input.customer_number.trim().toUpperCase()];
  if (customer === undefined) return { ok: false, error: 'there is no such customer' };
  customer.contract.tariff = input.tariff;
  return { ok: true, tariff: input.tariff, price: world.tariffs[input.tariff] };
}
