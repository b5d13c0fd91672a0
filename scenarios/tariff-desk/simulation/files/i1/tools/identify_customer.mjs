/** Checks who is writing: customer number and date of birth, both from the customer. */
export const tool = {
  name: 'identify_customer',
  description: 'Checks who is writing: customer number and date of birth, both from the customer.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['customer_number', 'birth_date'],
    properties: { customer_number: { type: 'string' }, birth_date: { type: 'string', description: 'As 1988-05-02.' } },
  },
  examples: [
    { input: { customer_number: 'C-1001', birth_date: '1988-05-02' }, world: 'base.json' },
    { input: { customer_number: 'C-1001', birth_date: '1990-01-01' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  const number = input.customer_number.trim().toUpperCase();
  const customer = world.customers[number];
  world.session.tries += 1;
  if (customer === undefined || customer.born !== input.birth_date.trim()) return { verified: false, tries: world.session.tries };
  world.session.customer = number;
  return { verified: true, name: customer.name };
}
