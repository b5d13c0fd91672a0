/** Abona recibos abiertos de una maleta perdida. */
export const tool = {
  name: 'abonar_gastos',
  description: 'Abona un importe por los recibos abiertos de una maleta perdida, seis recibos como mucho.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['maleta', 'recibos', 'cent'],
    properties: {
      maleta: { type: 'string' },
      recibos: { type: 'array', items: { type: 'string' } },
      cent: { type: 'integer', minimum: 1 },
    },
  },
  examples: [{ input: { maleta: 'BCN-101', recibos: ['RC-1', 'RC-2'], cent: 10700 }, world: 'septiembre.json' }],
};

export function run(input, world) {
  const numero = input.maleta.trim().toUpperCase();
  const maleta = world.maletas[numero];
  if (world.sesion.pasajero === null) return { ok: false, error: 'nadie se ha identificado' };
  if (maleta === undefined || maleta.pasajero !== world.sesion.pasajero) {
    return { ok: false, error: 'el pasajero no tiene esa maleta' };
  }
  if (maleta.estado !== 'perdida') return { ok: false, error: 'la maleta no está perdida' };
  if (input.recibos.length === 0 || input.recibos.length > 6) return { ok: false, error: 'de uno a seis recibos' };
  const ids = input.recibos.map((id) => id.trim().toUpperCase());
  if (new Set(ids).size < ids.length) return { ok: false, error: 'un recibo está repetido' };
  const recibos = ids.map((id) => world.recibos[id]);
  if (recibos.some((uno) => uno === undefined || uno.maleta !== numero || uno.estado !== 'abierto')) {
    return { ok: false, error: 'un recibo no está abierto para esta maleta' };
  }
  const suma = recibos.reduce((total, { cent }) => total + cent, 0);
  if (input.cent > suma) return { ok: false, error: 'es más que los recibos' };
  for (const recibo of recibos) recibo.estado = 'abonado';
  maleta.abonado_cent += input.cent;
  world.pagos.push({ maleta: numero, clase: 'gastos', cent: input.cent });
  return { ok: true, pagado_cent: input.cent, abonado_cent: maleta.abonado_cent, recibos: ids.length };
}
