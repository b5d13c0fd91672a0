/** Dice si se envía a una zona y con qué porte. */
export const tool = {
  name: 'ver_porte',
  description: 'Dice si se envía a una zona y con qué porte para el pasajero identificado.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['zona'],
    properties: { zona: { type: 'string', enum: ['ciudad', 'comarca', 'lejos'] } },
  },
  examples: [{ input: { zona: 'comarca' }, world: 'septiembre.json' }],
};

export function run(input, world) {
  const pasajero = world.pasajeros[world.sesion.pasajero];
  if (pasajero === undefined) return { ok: false, error: 'nadie se ha identificado' };
  const porte = input.zona === 'comarca' && pasajero.tarjeta !== 'oro' ? 1500 : 0;
  return { ok: true, zona: input.zona, se_envia: input.zona !== 'lejos', porte_cent: porte };
}
