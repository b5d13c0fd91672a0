/** Envia uma confirmação ao cliente identificado. */
export const tool = {
  name: 'enviar_confirmacao',
  description: 'Envia ao cliente identificado uma confirmação sobre uma das suas reservas, duas por reserva no máximo.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['reserva', 'assunto'],
    properties: {
      reserva: { type: 'string' },
      assunto: { type: 'string', enum: ['cancelada', 'prolongada', 'saida'] },
    },
  },
  examples: [{ input: { reserva: 'CB-201', assunto: 'cancelada' }, world: 'julho.json' }],
};

export function run(input, world) {
  const { cliente } = world.sessao;
  const numero = input.reserva.trim().toUpperCase();
  const reserva = world.reservas[numero];
  if (cliente === null) return { ok: false, error: 'ninguém se identificou' };
  if (reserva === undefined || reserva.cliente !== cliente) {
    return { ok: false, error: 'o cliente não tem essa reserva' };
  }
  const enviadas = world.confirmacoes.filter((uma) => uma.reserva === numero);
  if (enviadas.length >= 2) return { ok: false, error: 'já recebeu duas confirmações' };
  world.confirmacoes.push({ cliente, reserva: numero, assunto: input.assunto });
  return { ok: true, reserva: numero, assunto: input.assunto, enviadas: enviadas.length + 1 };
}
