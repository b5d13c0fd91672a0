/** Writes into the book how the contact ended. */
export const tool = {
  name: 'log_contact',
  description: 'Writes into the book how the contact ended.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['outcome'],
    properties: { outcome: { type: 'string', enum: ['returned', 'extended', 'refused', 'declined', 'not_identified'] } },
  },
  examples: [{ input: { outcome: 'refused' }, world: 'base.json' }],
};

export function run(input, world) {
  world.book.push({ outcome: input.outcome });
  return { ok: true, outcome: input.outcome };
}
