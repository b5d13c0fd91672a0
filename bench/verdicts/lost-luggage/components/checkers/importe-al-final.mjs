/** Las últimas palabras nombran lo que se ha pagado. */
export const checker = {
  id: 'importe-al-final',
  description: 'Las últimas palabras nombran cada importe pagado.',
  rules: ['R11'],
};

export function check({ before, after, final }) {
  if (final.trim() === '') return { pass: false, reason: 'no hay últimas palabras', evidence: [] };
  const dichos = (final.replaceAll(',', '.').match(/\d+(\.\d+)?/g) ?? []).map((uno) => Math.round(Number(uno) * 100));
  for (const { cent } of after.pagos.slice(before.pagos.length)) {
    if (!dichos.includes(cent)) return { pass: false, reason: `${cent} céntimos sin nombrar`, evidence: [] };
  }
  return { pass: true, reason: 'todo importe nombrado', evidence: [] };
}
