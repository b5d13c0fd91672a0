/** Pays money back for one item. Refuses what cannot be booked, not what should not be. */
export const tool = {
  name: 'issue_refund',
  description:
    "Pays a refund for one item, to the customer's bank card on file or to the gift card that paid for the order. An item can be refunded once.",
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['order_id', 'sku', 'amount_cents', 'destination', 'reason'],
    properties: {
      order_id: { type: 'string' },
      sku: { type: 'string' },
      amount_cents: { type: 'integer', minimum: 1 },
      destination: { type: 'string', enum: ['card', 'gift_card'] },
      reason: { type: 'string', enum: ['not_wanted', 'damaged', 'wrong_item'] },
    },
  },
  examples: [
    {
      input: { order_id: 'HW-2041', sku: 'MUG-SET-4', amount_cents: 3800, destination: 'card', reason: 'not_wanted' },
      world: 'base.json',
    },
    {
      input: { order_id: 'HW-2041', sku: 'MUG-SET-4', amount_cents: 3800, destination: 'gift_card', reason: 'damaged' },
      world: 'base.json',
    },
    {
      input: { order_id: 'HW-2042', sku: 'CANDLE-SET', amount_cents: 99000, destination: 'card', reason: 'damaged' },
      world: 'base.json',
    },
  ],
};

export function run(input, world) {
  const id = input.order_id.trim().toUpperCase();
  const order = world.orders[id];
  if (order === undefined) return { ok: false, error: `there is no order ${id}` };
  const refused = whyNot(order, id, input);
  if (refused !== undefined) return { ok: false, error: refused };
  const paidTo = input.destination === 'card' ? world.customers[order.customer].card : order.gift_card;
  if (input.destination === 'gift_card') world.gift_cards[paidTo].balance_cents += input.amount_cents;
  const { sku, amount_cents, destination, reason } = input;
  order.refunds.push({ sku, amount_cents, destination, paid_to: paidTo, reason });
  return { ok: true, amount_cents, paid_to: destination };
}

function whyNot(order, id, input) {
  const item = order.items.find((candidate) => candidate.sku === input.sku);
  if (item === undefined) return `order ${id} has no item ${input.sku}`;
  if (order.refunds.some((refund) => refund.sku === item.sku)) return `${item.sku} was refunded before`;
  if (input.amount_cents > item.price_cents + order.shipping_cents) return 'the amount is more than was paid';
  if (input.destination === 'gift_card' && order.gift_card === null) return `no gift card paid for order ${id}`;
  return undefined;
}
