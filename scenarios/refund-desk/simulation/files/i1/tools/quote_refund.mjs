/** The figures behind a refund: days and amounts. What is due is for the agent to decide. */
export const tool = {
  name: 'quote_refund',
  description:
    'Works out the figures for one item: days since delivery, its price, the shipping cost of the order, what was already refunded, and the most that may still be paid. Pays nothing.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['order_id', 'sku'],
    properties: { order_id: { type: 'string' }, sku: { type: 'string', description: 'As lookup_order shows it.' } },
  },
  examples: [
    { input: { order_id: 'HW-2041', sku: 'MUG-SET-4' }, world: 'base.json' },
    { input: { order_id: 'HW-2041', sku: 'NO-SUCH-ITEM' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  const id = input.order_id.trim().toUpperCase();
  const order = world.orders[id];
  if (order === undefined) return { ok: false, error: `there is no order ${id}` };
  const item = order.items.find((candidate) => candidate.sku === input.sku);
  if (item === undefined) return { ok: false, error: `order ${id} has no item ${input.sku}` };
  const paid = order.refunds.filter((refund) => refund.sku === item.sku);
  const refunded = paid.reduce((sum, refund) => sum + refund.amount_cents, 0);
  return {
    ok: true,
    placed_on: order.placed_on,
    days_since_delivery: daysBetween(order.delivered_on, world.today),
    price_cents: item.price_cents,
    shipping_cents: order.shipping_cents,
    already_refunded_cents: refunded,
    refundable_cents: item.price_cents + order.shipping_cents - refunded,
  };
}

function daysBetween(from, to) {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);
}
