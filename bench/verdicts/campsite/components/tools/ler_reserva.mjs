/** Lê uma reserva do cliente identificado. */
export const tool = {
  name: 'ler_reserva',
  description:
    'Lê uma reserva: datas, lugar, estado, o que se devolveria ao cancelar, a conta à saída e as noites livres depois da partida.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['reserva'],
    properties: { reserva: { type: 'string' } },
  },
  examples: [
    { input: { reserva: 'CB-206' }, world: 'julho.json' },
    {
      input: { reserva: 'cb-201' },
      world: {
        hoje: '2026-07-10',
        sessao: { cliente: 'K-11', tentativas: 1 },
        clientes: { 'K-11': { nome: 'Joana Marques', nascimento: '1984-03-12', cartao: false } },
        lugares: {
          'T-01': { tipo: 'tenda', noite_cent: 1800, sombra: true, livre_desde: '2026-07-09', proxima: '2026-08-20' },
        },
        reservas: {
          'CB-201': {
            cliente: 'K-11',
            lugar: 'T-01',
            chegada: '2026-08-09',
            partida: '2026-08-16',
            estado: 'marcada',
            pago_cent: 12600,
            seguro: false,
            caucao_cent: 0,
            danos_cent: 0,
            kwh: 0,
          },
        },
        reembolsos: [],
        prolongamentos: [],
        contas: [],
        caucoes: [],
        confirmacoes: [],
        notas: [],
      },
    },
  ],
};

const DIA = 86400000;
const dias = (de, ate) => Math.round((Date.parse(ate) - Date.parse(de)) / DIA);

export function run(input, world) {
  const numero = input.reserva.trim().toUpperCase();
  const reserva = world.reservas[numero];
  if (world.sessao.cliente === null) return { ok: false, error: 'ninguém se identificou' };
  if (reserva === undefined || reserva.cliente !== world.sessao.cliente) {
    return { ok: false, error: 'o cliente não tem essa reserva' };
  }
  const lugar = world.lugares[reserva.lugar];
  const noites = dias(reserva.chegada, reserva.partida);
  const faltam = dias(world.hoje, reserva.chegada);
  const luz = lugar.tipo === 'bungalow' ? 0 : Math.max(45 * (reserva.kwh - 4 * noites), 0);
  return {
    ok: true,
    lugar: reserva.lugar,
    tipo: lugar.tipo,
    estado: reserva.estado,
    chegada: reserva.chegada,
    partida: reserva.partida,
    noites,
    dias_ate_chegada: Math.max(faltam, 0),
    pago_cent: reserva.pago_cent,
    seguro: reserva.seguro,
    reembolso_cent: reserva.estado === 'marcada' ? calculaReembolso(reserva, faltam) : 0,
    noites_livres: dias(reserva.partida, lugar.proxima),
    luz_cent: luz,
    danos_cent: reserva.danos_cent,
    caucao_a_devolver_cent: Math.max(reserva.caucao_cent - reserva.danos_cent - luz, 0),
  };
}

function calculaReembolso({ pago_cent: pago, seguro }, faltam) {
  if (seguro) return pago;
  if (faltam >= 30) return Math.max(pago - 1500, 0);
  return faltam >= 14 ? pago / 2 : 0;
}
