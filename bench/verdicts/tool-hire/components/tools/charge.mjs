/** Charges a late fee or a deposit. */
export const tool = {
  name: 'charge',
  description: 'Charges a late fee or a deposit for a loan.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['hire', 'kind', 'cents'],
    properties: {
      hire: { type: 'string' },
      kind: { type: 'string', enum: ['late', 'damage'] },
      cents: { type: 'integer', minimum: 1 },
    },
  },
  examples: [{ input: { hire: 'H-10', kind: 'late', cents: 200 }, world: 'base.json' }],
};

export function run(input, world) {
  const number = input.hire.trim().toUpperCase();
  const hire = world.hires[number];
  if (world.session.member === null) return { ok: false, error: 'nobody was identified' };
  if (hire === undefined || hire.member !== world.session.member) return { ok: false, error: 'there is no such loan of this member' };
  if (input.cents > 50000) return { ok: false, error: 'no charge is as high as that' };
  const entry = { hire: number, kind: input.kind, cents: input.cents };
  world.charges.push(entry);
  return { ok: true, charged_cents: entry.cents, kind: entry.kind };
}
