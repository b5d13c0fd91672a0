/** Exchanges one item for another: takes it from the stock and writes it on the order. */
export const tool = {
  name: 'create_exchange',
  description:
    'Exchanges an item of an order for another item of the catalogue, if that one is in stock. Books no money. Answers ok false when the new item is out of stock.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['order_id', 'sku', 'new_sku'],
    properties: {
      order_id: { type: 'string' },
      sku: { type: 'string', description: 'The item that comes back.' },
      new_sku: { type: 'string', description: 'The item that is wanted: the same name with the other colour or size.' },
    },
  },
  examples: [
    { input: { order_id: 'HW-2043', sku: 'LAMP-BLUE', new_sku: 'LAMP-GREEN' }, world: 'base.json' },
    { input: { order_id: 'HW-2043', sku: 'LAMP-BLUE', new_sku: 'CUSHION-GREY' }, world: 'base.json' },
    { input: { order_id: 'HW-2043', sku: 'LAMP-BLUE', new_sku: 'NO-SUCH-ITEM' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  const id = input.order_id.trim().toUpperCase();
  const order = world.orders[id];
  if (order === undefined) return { ok: false, error: `there is no order ${id}` };
  if (!order.items.some((item) => item.sku === input.sku)) return { ok: false, error: `order ${id} has no item ${input.sku}` };
  const wanted = Object.hasOwn(world.catalogue, input.new_sku) ? world.catalogue[input.new_sku] : undefined;
  if (wanted === undefined) return { ok: false, error: `the catalogue has no item ${input.new_sku}` };
  if (wanted.stock < 1) return { ok: false, error: `${input.new_sku} is out of stock`, stock: 0 };
  wanted.stock -= 1;
  order.exchanges.push({ sku: input.sku, new_sku: input.new_sku });
  return { ok: true, sent: wanted.name };
}
