/** Was the exchange made when it was possible, and the money paid when it was not? */
export const checker = {
  id: 'exchange-in-stock',
  description: 'An exchange only for an item at the same price that is in stock; otherwise a refund, and no promise.',
  rules: ['R9'],
};

export function check({ before, after, trace }) {
  const wish = trace.calls.find((call) => call.tool === 'create_exchange');
  if (wish === undefined) return no('No exchange was tried.');
  const id = wish.input.order_id.trim().toUpperCase();
  const old = before.orders[id]?.items.find((item) => item.sku === wish.input.sku);
  const wanted = before.catalogue[wish.input.new_sku];
  const possible = old !== undefined && wanted !== undefined && wanted.stock > 0 && wanted.price_cents === old.price_cents;
  const exchanged = (after.orders[id]?.exchanges ?? []).map((entry) => entry.new_sku);
  const refunded = (after.orders[id]?.refunds ?? []).length;
  const facts = [`step ${wish.step}: ${wish.input.sku} for ${wish.input.new_sku}, stock ${wanted?.stock ?? 0}`];
  if (possible && !exchanged.includes(wish.input.new_sku)) return no('The exchange was possible and was not made.', facts);
  if (possible && refunded > 0) return no('The item was exchanged and refunded as well.', facts);
  if (!possible && exchanged.length > 0) return no('An item was sent that the customer had not asked for.', facts);
  if (!possible && refunded === 0) return no('The exchange was not possible, and no refund was made instead.', facts);
  return { pass: true, reason: possible ? 'Exchanged.' : 'Not possible, so refunded.', evidence: facts };
}

function no(reason, evidence = []) {
  return { pass: false, reason, evidence };
}
