/** Books an option for a contract. */
export const tool = {
  name: 'book_option',
  description: 'Books an option for a contract.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['customer_number', 'option'],
    properties: { customer_number: { type: 'string' }, option: { type: 'string' } },
  },
  examples: [
    { input: { customer_number: 'C-1001', option: 'roaming' }, world: 'base.json' },
    { input: { customer_number: 'C-1001', option: 'fax' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  const customer = world.customers[input.customer_number.trim().toUpperCase()];
  const option = input.option.trim().toLowerCase();
  if (customer === undefined) return { ok: false, error: 'there is no such customer' };
  if (world.options[option] === undefined) return { ok: false, error: 'there is no such option' };
  if (!customer.contract.options.includes(option)) customer.contract.options.push(option);
  return { ok: true, options: customer.contract.options };
}
