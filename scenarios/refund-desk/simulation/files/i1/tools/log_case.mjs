/** Closes a case: one record on the order, with the outcome. */
export const tool = {
  name: 'log_case',
  description: 'Writes the case record on an order: the outcome that was reached. The last act of every case.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['order_id', 'outcome'],
    properties: {
      order_id: { type: 'string' },
      outcome: {
        type: 'string',
        enum: ['refunded', 'exchanged', 'gift_card_replaced', 'refused', 'handed_over'],
      },
    },
  },
  examples: [
    { input: { order_id: 'HW-2041', outcome: 'refunded' }, world: 'base.json' },
    { input: { order_id: 'HW-2042', outcome: 'refused' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  const order = world.orders[input.order_id.trim()];
  order.cases.push({ outcome: input.outcome, on: world.today });
  return { ok: true, records: order.cases.length };
}
