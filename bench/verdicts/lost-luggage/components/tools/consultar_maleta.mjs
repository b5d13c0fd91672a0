/** Lee una maleta del pasajero identificado. */
export const tool = {
  name: 'consultar_maleta',
  description: 'Lee una maleta: estado, días, recibos abiertos, límite de gastos e indemnización que tocaría.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['maleta'],
    properties: { maleta: { type: 'string' } },
  },
  examples: [{ input: { maleta: 'BCN-101' }, world: 'septiembre.json' }],
};

const DIA = 86400000;

export function run(input, world) {
  const numero = input.maleta.trim().toUpperCase();
  const maleta = world.maletas[numero];
  if (world.sesion.pasajero === null) return { ok: false, error: 'nadie se ha identificado' };
  if (maleta === undefined || maleta.pasajero !== world.sesion.pasajero) {
    return { ok: false, error: 'el pasajero no tiene esa maleta' };
  }
  const dias = Math.round((Date.parse(world.hoy) - Date.parse(maleta.declarada)) / DIA);
  const doble = world.pasajeros[maleta.pasajero].tarjeta === 'oro' ? 2 : 1;
  const abiertos = Object.entries(world.recibos).filter(
    ([, recibo]) => recibo.maleta === numero && recibo.estado === 'abierto',
  );
  const valor = maleta.declarado_cent > 0 ? maleta.declarado_cent : Math.min(2000 * maleta.peso_kg, 130000);
  return {
    ok: true,
    color: maleta.color,
    estado: maleta.estado,
    dias,
    recibos: abiertos.map(([id]) => id),
    recibos_cent: abiertos.reduce((suma, [, { cent }]) => suma + cent, 0),
    limite_cent: maleta.estado === 'perdida' ? doble * Math.min(5000 * dias, 25000) : 0,
    abonado_cent: maleta.abonado_cent,
    indemnizacion_cent: maleta.estado === 'perdida' && dias >= 21 ? Math.max(valor - maleta.abonado_cent, 0) : 0,
  };
}
