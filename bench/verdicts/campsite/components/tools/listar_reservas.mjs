/** Lista as reservas do cliente identificado. */
export const tool = {
  name: 'listar_reservas',
  description: 'Lista as reservas do cliente identificado, todas ou as de um estado.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    properties: { estado: { type: 'string', enum: ['marcada', 'chegada', 'cancelada', 'saida'] } },
  },
  examples: [
    { input: { estado: 'marcada' }, world: 'julho.json' },
    { input: {}, world: 'julho.json' },
  ],
};

export function run(input, world) {
  const { cliente } = world.sessao;
  if (cliente === null) return { ok: false, error: 'ninguém se identificou' };
  const reservas = Object.entries(world.reservas)
    .filter(([, uma]) => uma.cliente === cliente)
    .filter(([, uma]) => input.estado === undefined || uma.estado === input.estado)
    .map(([reserva, { lugar, chegada, partida, estado }]) => ({ reserva, lugar, chegada, partida, estado }));
  return { ok: true, reservas };
}
