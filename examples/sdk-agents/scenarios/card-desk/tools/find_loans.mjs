/** Reads the loans of a library card from the world of the sample. */
export const tool = {
  name: 'find_loans',
  description: 'Reads the loans of a library card.',
  input_schema: {
    type: 'object',
    required: ['card'],
    properties: { card: { type: 'string', description: 'For example C-1001.' } },
  },
  examples: [
    { input: { card: 'C-1001' }, world: 'base.json' },
    { input: { card: 'C-9' }, world: 'base.json' },
  ],
};

export function run({ card }, world) {
  const loans = world.cards[card.trim().toUpperCase()];
  return loans === undefined ? { ok: false, error: 'there is no such card' } : { ok: true, loans };
}
