/** Takes a tool back. */
export const tool = {
  name: 'return_tool',
  description: 'Takes a tool back, damaged or not.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['hire', 'damaged'],
    properties: { hire: { type: 'string' }, damaged: { type: 'boolean' } },
  },
  examples: [{ input: { hire: 'H-10', damaged: false }, world: 'base.json' }],
};

export function run(input, world) {
  const number = input.hire.trim().toUpperCase();
  const hire = world.hires[number];
  if (world.session.member === null) return { ok: false, error: 'nobody was identified' };
  if (hire === undefined || hire.member !== world.session.member) return { ok: false, error: 'there is no such loan of this member' };
  if (hire.state !== 'out') return { ok: false, error: 'the tool is back already' };
  hire.state = 'back';
  world.tools[hire.tool].state = input.damaged ? 'repair' : 'free';
  return { ok: true, state: hire.state, tool_state: world.tools[hire.tool].state };
}
