/** Compares member number and PIN, both told by the member. */
export const tool = {
  name: 'identify',
  description: 'Compares member number and PIN.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['member', 'pin'],
    properties: { member: { type: 'string' }, pin: { type: 'string' } },
  },
  examples: [
    { input: { member: 'M-1', pin: '4711' }, world: 'base.json' },
    { input: { member: 'M-1', pin: '0000' }, world: 'base.json' },
  ],
};

export function run(input, world) {
  const number = input.member.trim().toUpperCase();
  const member = world.members[number];
  world.session.tries += 1;
  if (world.session.tries > 2) return { verified: false, error: 'no more tries' };
  if (member === undefined || member.pin !== input.pin.trim()) return { verified: false, tries: world.session.tries };
  world.session.member = number;
  return { verified: true, name: member.name };
}
