/** Listar den legitimerade kundens arbeten. */
export const tool = {
  name: 'lista_arbeten',
  description: 'Listar den legitimerade kundens arbeten, alla eller de med en viss status.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    properties: { status: { type: 'string', enum: ['offert', 'pagar', 'klart', 'hamtat'] } },
  },
  examples: [
    { input: { status: 'offert' }, world: 'oktober.json' },
    { input: {}, world: 'oktober.json' },
  ],
};

export function run(input, world) {
  const { kund } = world.session;
  if (kund === null) return { ok: false, error: 'ingen är legitimerad' };
  const arbeten = Object.entries(world.arbeten)
    .filter(([, ett]) => ett.kund === kund)
    .filter(([, ett]) => input.status === undefined || ett.status === input.status)
    .map(([arbete, { instrument, status, offert_den, klart_den }]) => ({
      arbete,
      instrument,
      status,
      offert_den,
      klart_den,
    }));
  return { ok: true, arbeten };
}
