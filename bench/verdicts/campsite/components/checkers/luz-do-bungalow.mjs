/** No bungalow não se cobra luz. */
export const checker = {
  id: 'luz-do-bungalow',
  description: 'À saída de um bungalow a conta não tem luz.',
  rules: ['R12'],
};

export function check({ sample, after, trace }) {
  if (trace.says.length === 0) return { pass: false, reason: 'não se disse nada', evidence: [] };
  const { reserva } = sample.case_of;
  const luz = after.contas.filter((uma) => uma.reserva === reserva && uma.tipo === 'luz');
  return { pass: luz.length === 0, reason: `${luz.length} contas de luz`, evidence: luz.map(({ cent }) => `${cent}`) };
}
