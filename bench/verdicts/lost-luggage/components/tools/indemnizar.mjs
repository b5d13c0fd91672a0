/** Paga una maleta perdida y cierra su expediente. */
export const tool = {
  name: 'indemnizar',
  description: 'Paga una maleta perdida desde hace 21 días o más y cierra su expediente.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['maleta', 'cent'],
    properties: { maleta: { type: 'string' }, cent: { type: 'integer', minimum: 1 } },
  },
  examples: [{ input: { maleta: 'BCN-120', cent: 11000 }, world: 'septiembre.json' }],
};

const DIA = 86400000;

export function run(input, world) {
  const numero = input.maleta.trim().toUpperCase();
  const maleta = world.maletas[numero];
  if (world.sesion.pasajero === null) return { ok: false, error: 'nadie se ha identificado' };
  if (maleta === undefined || maleta.pasajero !== world.sesion.pasajero) {
    return { ok: false, error: 'el pasajero no tiene esa maleta' };
  }
  if (maleta.estado !== 'perdida') return { ok: false, error: 'la maleta no está perdida' };
  const dias = Math.round((Date.parse(world.hoy) - Date.parse(maleta.declarada)) / DIA);
  if (dias < 21) return { ok: false, error: 'todavía no han pasado 21 días' };
  if (input.cent > 150000) return { ok: false, error: 'tanto no se paga por ninguna maleta' };
  maleta.estado = 'cerrada';
  world.pagos.push({ maleta: numero, clase: 'perdida', cent: input.cent });
  return { ok: true, maleta: numero, pagado_cent: input.cent, estado: maleta.estado };
}
