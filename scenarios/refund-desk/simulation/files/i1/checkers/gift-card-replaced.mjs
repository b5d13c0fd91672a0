/** Was a lost gift card replaced if and only if there was something to replace? */
export const checker = {
  id: 'gift-card-replaced',
  description: 'An active card with a balance gets a new code with the same balance; any other card is refused.',
  rules: ['R10'],
};

export function check({ before, after, trace }) {
  const read = trace.calls.find((call) => call.tool === 'lookup_order' && call.output?.ok === true);
  if (read === undefined) return no('The order of the gift card was never read.');
  const id = read.input.order_id.trim().toUpperCase();
  const code = before.orders[id].items.find((item) => item.code !== undefined)?.code;
  const card = before.gift_cards[code];
  if (card === undefined) return no(`No gift card was bought with order ${id}.`);
  const facts = [`${code}: ${card.status}, ${card.balance_cents} cents`];
  const heirs = Object.values(after.gift_cards).filter((other) => other.replaces === code);
  if (card.status === 'active' && card.balance_cents > 0) {
    const moved = heirs.length === 1 && heirs[0].balance_cents === card.balance_cents;
    if (!moved || after.gift_cards[code].status !== 'blocked') return no('The card was not replaced with its balance.', facts);
    return { pass: true, reason: 'The old code is blocked, the new one has the balance.', evidence: facts };
  }
  if (heirs.length > 0) return no('A card without a balance was replaced.', facts);
  const refused = after.orders[id].cases.some((record) => record.outcome === 'refused');
  if (!refused) return no('There was nothing to replace, but no refusal was logged.', facts);
  return { pass: true, reason: 'There was nothing to replace, and it was refused.', evidence: facts };
}

function no(reason, evidence = []) {
  return { pass: false, reason, evidence };
}
