/** Reads an order as a colleague at the desk sees it; who the customer is stays out of it. */
export const tool = {
  name: 'lookup_order',
  description:
    'Reads an order: dates, items with prices in cents, how it was paid, gift cards that belong to it, and what was already refunded, exchanged or logged.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['order_id'],
    properties: { order_id: { type: 'string', description: 'For example HW-2041.' } },
  },
  examples: [
    { input: { order_id: 'HW-2041' }, world: 'base.json' },
    { input: { order_id: 'hw-2042' }, world: 'base.json' },
    { input: { order_id: 'HW-0000' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  const id = input.order_id.trim().toUpperCase();
  const order = world.orders[id];
  if (order === undefined) return { ok: false, error: `there is no order ${id}` };
  const { customer: _private, ...open } = order;
  return { ok: true, today: world.today, order_id: id, ...open, gift_cards: cardsOf(order, world) };
}

function cardsOf(order, world) {
  const bought = order.items.flatMap((item) => (item.code === undefined ? [] : [item.code]));
  const codes = order.gift_card === null ? bought : [...bought, order.gift_card];
  return codes.map((code) => {
    const card = world.gift_cards[code];
    return { code, balance_cents: card.balance_cents, status: card.status };
  });
}
