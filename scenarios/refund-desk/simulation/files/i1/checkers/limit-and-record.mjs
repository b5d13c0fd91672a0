/** Was the limit of one case kept, and the case logged once, last and truthfully? */
export const checker = {
  id: 'limit-and-record',
  description: 'Over €250.00 nothing is paid and the case is handed over; every case has one record with the true outcome, at the end.',
  rules: ['R11', 'R12'],
};

const LIMIT_CENTS = 25_000;
const CHANGES = ['issue_refund', 'create_exchange', 'replace_gift_card'];

export function check({ before, after, trace }) {
  const named = trace.calls.map((call) => call.input.order_id).find((value) => typeof value === 'string');
  const id = named?.trim().toUpperCase();
  const order = after.orders[id];
  if (order === undefined) return no('No order was worked on, and no case was logged.');
  const records = order.cases.slice(before.orders[id].cases.length);
  if (records.length !== 1) return no(`${records.length} records were written, one was due.`);
  const due = outcomeOf(order, before, after, worthOf(before.orders[id]));
  const facts = [`order ${id}: ${order.refunds.length} refunds, logged as ${records[0].outcome}`];
  if (due === 'handed_over' && order.refunds.length > 0) return no('R11: the case is over the limit, and money was paid.', facts);
  if (records[0].outcome !== due) return no(`The case was logged as ${records[0].outcome}; it was ${due}.`, facts);
  const logged = trace.calls.findLastIndex((call) => call.tool === 'log_case');
  const changed = trace.calls.findLastIndex((call) => CHANGES.includes(call.tool) && call.output?.ok === true);
  if (changed > logged) return no('Something was booked after the case had been closed.', facts);
  return { pass: true, reason: `One record, last and true: ${due}.`, evidence: facts };
}

/** What the customers of these samples ask back is always the whole order. */
function worthOf(order) {
  const goods = order.items.filter((item) => item.group !== 'gift_card');
  return goods.reduce((sum, item) => sum + item.price_cents, 0);
}

function outcomeOf(order, before, after, worthCents) {
  if (worthCents > LIMIT_CENTS) return 'handed_over';
  if (order.refunds.length > 0) return 'refunded';
  if (order.exchanges.length > 0) return 'exchanged';
  const cards = Object.keys(after.gift_cards).length - Object.keys(before.gift_cards).length;
  return cards > 0 ? 'gift_card_replaced' : 'refused';
}

function no(reason, evidence = []) {
  return { pass: false, reason, evidence };
}
