/** Did goods that are not wanted come back only in time, and only if they may come back at all? */
export const checker = {
  id: 'window-respected',
  description: 'Unwanted goods: in time and not excluded means refund or exchange; anything else means a logged refusal.',
  rules: ['R3', 'R4', 'R5'],
};

const DAY_MS = 86_400_000;

export function check({ before, after, trace }) {
  const read = trace.calls.find((call) => call.tool === 'lookup_order' && call.output?.ok === true);
  if (read === undefined) return no('No order was read, so no time limit can have been looked at.');
  const id = read.input.order_id.trim().toUpperCase();
  const start = before.orders[id];
  const end = after.orders[id];
  const due = start.items.filter((item) => mayComeBack(item, start, before.today));
  const facts = [`order ${id}: placed ${start.placed_on}, delivered ${start.delivered_on}, today ${before.today}`];
  const settled = end.refunds.length + end.exchanges.length > start.refunds.length + start.exchanges.length;
  if (due.length === 0 && settled) return no('Something was refunded or exchanged although nothing may come back.', facts);
  if (due.length > 0 && !settled) return no('The customer had a right to a refund or an exchange and got neither.', facts);
  if (due.length === 0 && !end.cases.some((record) => record.outcome === 'refused')) {
    return no('Nothing may come back, but no refusal was logged.', facts);
  }
  return { pass: true, reason: settled ? 'In time, and done.' : 'Too late or excluded, and refused.', evidence: facts };
}

function mayComeBack(item, order, today) {
  if (item.group === 'personalised' || item.group === 'gift_card') return false;
  if (item.group === 'hygiene' && item.opened) return false;
  return dayNumber(today) <= lastDay(order);
}

function lastDay(order) {
  const ordinary = dayNumber(order.delivered_on) + 30;
  const year = Number(order.placed_on.slice(0, 4));
  const season = order.placed_on >= `${year}-11-15` && order.placed_on <= `${year}-12-24`;
  return season ? Math.max(ordinary, dayNumber(`${year + 1}-01-31`)) : ordinary;
}

function dayNumber(date) {
  return Math.round(Date.parse(`${date}T00:00:00Z`) / DAY_MS);
}

function no(reason, evidence = []) {
  return { pass: false, reason, evidence };
}
