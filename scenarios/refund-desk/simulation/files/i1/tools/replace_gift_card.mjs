/** Blocks a lost gift card and moves what is left of it to a new code. */
export const tool = {
  name: 'replace_gift_card',
  description:
    'Replaces a lost gift card: blocks the old code and gives its balance a new one. Answers ok false when there is nothing to replace.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['code'],
    properties: { code: { type: 'string', description: 'The old code, as lookup_order shows it. For example GC-7001.' } },
  },
  examples: [
    { input: { code: 'GC-7001' }, world: 'base.json' },
    { input: { code: 'GC-0000' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  const code = input.code.trim().toUpperCase();
  const card = world.gift_cards[code];
  if (card === undefined) return { ok: false, error: `there is no gift card ${code}` };
  if (card.status === 'blocked') return { ok: false, error: `${code} is blocked` };
  if (card.balance_cents === 0) return { ok: false, error: `${code} has no balance left` };
  const replacement = { buyer: card.buyer, balance_cents: card.balance_cents, status: 'active', replaces: code };
  world.gift_cards[`${code}-N`] = replacement;
  card.balance_cents = 0;
  card.status = 'blocked';
  return { ok: true, new_code: `${code}-N`, balance_cents: replacement.balance_cents };
}
