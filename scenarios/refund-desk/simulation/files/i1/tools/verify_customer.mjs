/** Compares what the customer said with the account behind the order; says yes or no, never which part was wrong. */
export const tool = {
  name: 'verify_customer',
  description:
    'Identifies the customer: compares the order number, the e-mail address and the billing postcode with the account. Answers verified true or false, and how many checks have failed in this conversation.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['order_id', 'email', 'postcode'],
    properties: {
      order_id: { type: 'string', description: 'For example HW-2041.' },
      email: { type: 'string' },
      postcode: { type: 'string' },
    },
  },
  examples: [
    { input: { order_id: 'HW-2041', email: 'mara.lindqvist@example.com', postcode: '10435' }, world: 'base.json' },
    { input: { order_id: 'HW-2041', email: 'mara.lindqvist@example.com', postcode: '99999' }, world: 'base.json' },
    { input: { order_id: 'HW-0000', email: 'nobody@example.com', postcode: '10435' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  const order = world.orders[input.order_id.trim().toUpperCase()];
  const customer = order === undefined ? undefined : world.customers[order.customer];
  if (customer !== undefined && matches(customer, input)) {
    world.session.verified_customer = order.customer;
    return { ok: true, verified: true, first_name: customer.first_name };
  }
  world.session.failed_checks += 1;
  return { ok: true, verified: false, failed_checks: world.session.failed_checks };
}

function matches(customer, input) {
  const sameEmail = customer.email.toLowerCase() === input.email.trim().toLowerCase();
  return sameEmail && customer.postcode === input.postcode.trim();
}
