/** Cancela uma reserva marcada e devolve uma quantia. */
export const tool = {
  name: 'cancelar_reserva',
  description: 'Cancela uma reserva marcada que ainda não começou e devolve uma quantia, ou nada.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['reserva', 'cent'],
    properties: { reserva: { type: 'string' }, cent: { type: 'integer', minimum: 0 } },
  },
  examples: [{ input: { reserva: 'CB-201', cent: 11100 }, world: 'julho.json' }],
};

const DIA = 86400000;

export function run(input, world) {
  const numero = input.reserva.trim().toUpperCase();
  const reserva = world.reservas[numero];
  if (world.sessao.cliente === null) return { ok: false, error: 'ninguém se identificou' };
  if (reserva === undefined || reserva.cliente !== world.sessao.cliente) {
    return { ok: false, error: 'o cliente não tem essa reserva' };
  }
  if (reserva.estado !== 'marcada') return { ok: false, error: 'a reserva não está marcada' };
  const faltam = Math.round((Date.parse(reserva.chegada) - Date.parse(world.hoje)) / DIA);
  if (faltam < 1) return { ok: false, error: 'a estadia começa hoje ou já começou' };
  if (input.cent > reserva.pago_cent) return { ok: false, error: 'é mais do que foi pago' };
  reserva.estado = 'cancelada';
  if (input.cent > 0) world.reembolsos.push({ reserva: numero, cent: input.cent });
  return { ok: true, reserva: numero, estado: reserva.estado, devolvido_cent: input.cent };
}
