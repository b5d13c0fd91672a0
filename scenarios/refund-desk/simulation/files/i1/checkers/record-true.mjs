/** Is the record true? That there is one, and nothing after it, the table reads. */
export const checker = {
  id: 'record-true',
  description: 'The outcome on the record is the one that was reached.',
  rules: ['R12'],
};

export function check({ before, after }) {
  const found = Object.entries(after.orders).find(([id, { cases }]) => cases.length > before.orders[id].cases.length);
  if (found === undefined) return { pass: false, reason: 'No case was logged.', evidence: [] };
  const [id, order] = found;
  const records = order.cases.slice(before.orders[id].cases.length);
  if (records.length > 1) return { pass: false, reason: `There are ${records.length} records, so none is the true one.`, evidence: [] };
  const logged = records[0].outcome;
  const reached = reachedOutcomes(order, before, after);
  const evidence = [`order ${id}: ${order.refunds.length} refunds, ${order.exchanges.length} exchanges`];
  if (!reached.includes(logged)) return { pass: false, reason: `Logged as ${logged}; it was ${reached.join(' or ')}.`, evidence };
  return { pass: true, reason: `The record is true: ${logged}.`, evidence };
}

function reachedOutcomes(order, before, after) {
  if (order.refunds.length > 0) return ['refunded'];
  if (order.exchanges.length > 0) return ['exchanged'];
  const cards = Object.keys(after.gift_cards).length - Object.keys(before.gift_cards).length;
  return cards > 0 ? ['gift_card_replaced'] : ['refused', 'handed_over'];
}
