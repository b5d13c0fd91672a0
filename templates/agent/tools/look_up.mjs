/** A tool of the simulated world: it changes nothing, and answers what the world of the sample holds. */
export const tool = {
  name: 'look_up',
  description: 'Reads an order.',
  input_schema: {
    type: 'object',
    required: ['order_id'],
    properties: { order_id: { type: 'string', description: 'For example A-1.' } },
  },
  examples: [{ input: { order_id: 'A-1' }, world: 'base.json' }],
};

export function run({ order_id }, world) {
  const order = world.orders[order_id.trim().toUpperCase()];
  return order === undefined ? { ok: false, error: 'there is no such order' } : { ok: true, ...order };
}
