/** Prolonga uma estadia e cobra as noites. */
export const tool = {
  name: 'prolongar_reserva',
  description: 'Prolonga uma estadia por tantas noites, 21 de uma vez no máximo, e cobra o seu preço.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['reserva', 'noites', 'cent'],
    properties: {
      reserva: { type: 'string' },
      noites: { type: 'integer', minimum: 1 },
      cent: { type: 'integer', minimum: 1 },
    },
  },
  examples: [{ input: { reserva: 'CB-210', noites: 3, cent: 8100 }, world: 'julho.json' }],
};

const DIA = 86400000;

export function run(input, world) {
  const numero = input.reserva.trim().toUpperCase();
  const reserva = world.reservas[numero];
  if (world.sessao.cliente === null) return { ok: false, error: 'ninguém se identificou' };
  if (reserva === undefined || reserva.cliente !== world.sessao.cliente) {
    return { ok: false, error: 'o cliente não tem essa reserva' };
  }
  if (!['marcada', 'chegada'].includes(reserva.estado)) return { ok: false, error: 'a reserva já não está aberta' };
  if (input.noites > 21) return { ok: false, error: 'no máximo 21 noites de uma vez' };
  const lugar = world.lugares[reserva.lugar];
  const partida = Date.parse(reserva.partida) + input.noites * DIA;
  if (partida > Date.parse(lugar.proxima)) return { ok: false, error: 'o lugar não está livre até lá' };
  if (input.cent > lugar.noite_cent * input.noites) return { ok: false, error: 'é mais do que o preço do lugar' };
  reserva.partida = new Date(partida).toISOString().slice(0, 10);
  world.prolongamentos.push({ reserva: numero, noites: input.noites, cent: input.cent });
  return { ok: true, reserva: numero, partida: reserva.partida, noites: input.noites, cobrado_cent: input.cent };
}
