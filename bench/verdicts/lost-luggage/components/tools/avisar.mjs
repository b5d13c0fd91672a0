/** Manda un aviso al pasajero identificado. */
export const tool = {
  name: 'avisar',
  description: 'Manda al pasajero identificado un aviso sobre una de sus maletas, tres avisos como mucho.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['maleta', 'motivo'],
    properties: { maleta: { type: 'string' }, motivo: { type: 'string', enum: ['enviada', 'indemnizada'] } },
  },
  examples: [{ input: { maleta: 'BCN-130', motivo: 'enviada' }, world: 'septiembre.json' }],
};

export function run(input, world) {
  const { pasajero } = world.sesion;
  const numero = input.maleta.trim().toUpperCase();
  const maleta = world.maletas[numero];
  if (pasajero === null) return { ok: false, error: 'nadie se ha identificado' };
  if (maleta === undefined || maleta.pasajero !== pasajero) {
    return { ok: false, error: 'el pasajero no tiene esa maleta' };
  }
  const mandados = world.avisos.filter((uno) => uno.pasajero === pasajero);
  if (mandados.length >= 3) return { ok: false, error: 'ya ha recibido tres avisos' };
  world.avisos.push({ pasajero, maleta: numero, motivo: input.motivo });
  return { ok: true, maleta: numero, motivo: input.motivo, avisos: mandados.length + 1 };
}
