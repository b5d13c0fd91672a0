/** Notes how the conversation ended. The last act of every conversation. */
export const tool = {
  name: 'note_contact',
  description: 'Notes how the conversation ended. The last act of every conversation.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['outcome'],
    properties: { outcome: { type: 'string', enum: ['changed', 'booked', 'cancelled', 'declined', 'refused', 'not_identified'] } },
  },
  examples: [
    { input: { outcome: 'changed' }, world: 'base.json' },
    { input: { outcome: 'declined' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  world.notes.push(input.outcome);
  return { ok: true };
}
