/** Reads a loan of the identified member. */
export const tool = {
  name: 'read_hire',
  description: 'Reads a loan: tool, day due, days late, what is owed, whether it can be made longer.',
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
  const item = world.tools[hire.tool];
  const member = world.members[hire.member];
  const daysLate = Math.max(0, Math.round((Date.parse(world.today) - Date.parse(hire.due)) / DAY));
  const fee = member.kind === 'patron' ? 0 : Math.min(daysLate * 200, 3000);
  return {
    ok: true,
    tool: item.name,
    due: hire.due,
    days_late: daysLate,
    late_fee_cents: fee,
    deposit_cents: item.deposit_cents,
    extensions: hire.extensions,
    reserved: item.reserved,
    state: hire.state,
  };
}
