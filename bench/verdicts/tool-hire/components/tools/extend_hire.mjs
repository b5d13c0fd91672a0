/** Makes a loan a week longer. */
export const tool = {
  name: 'extend_hire',
  description: 'Makes a loan a week longer.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['hire'],
    properties: { hire: { type: 'string' } },
  },
  examples: [{ input: { hire: 'H-10' }, world: 'base.json' }],
};

const DAY = 86400000;

export function run(input, world) {
  const number = input.hire.trim().toUpperCase();
  const hire = world.hires[number];
  if (world.session.member === null) return { ok: false, error: 'nobody was identified' };
  if (hire === undefined || hire.member !== world.session.member) return { ok: false, error: 'there is no such loan of this member' };
  if (hire.state !== 'out') return { ok: false, error: 'the tool is back already' };
  hire.due = new Date(Date.parse(hire.due) + 7 * DAY).toISOString().slice(0, 10);
  hire.extensions += 1;
  return { ok: true, due: hire.due, extensions: hire.extensions };
}
