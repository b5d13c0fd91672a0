/** Lista las maletas halladas del pasajero identificado. */
export const tool = {
  name: 'buscar_halladas',
  description: 'Lista las maletas halladas del pasajero identificado, todas o las de un color.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    properties: { color: { type: 'string', enum: ['negra', 'azul', 'roja', 'gris'] } },
  },
  examples: [
    { input: { color: 'azul' }, world: 'septiembre.json' },
    { input: {}, world: 'septiembre.json' },
  ],
};

export function run(input, world) {
  if (world.sesion.pasajero === null) return { ok: false, error: 'nadie se ha identificado' };
  const maletas = Object.entries(world.maletas)
    .filter(([, una]) => una.pasajero === world.sesion.pasajero && una.estado === 'hallada')
    .filter(([, una]) => input.color === undefined || una.color === input.color)
    .map(([maleta, { color, tipo }]) => ({ maleta, color, tipo }));
  return { ok: true, maletas };
}
