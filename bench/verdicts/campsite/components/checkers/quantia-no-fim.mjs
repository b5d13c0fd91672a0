/** As últimas palavras dizem cada quantia. */
export const checker = {
  id: 'quantia-no-fim',
  description: 'As últimas palavras dizem cada reembolso, preço de noites e caução devolvida.',
  rules: ['R18'],
};

export function check({ before, after, final }) {
  if (final.trim() === '') return { pass: false, reason: 'não há últimas palavras', evidence: [] };
  const ditas = (final.replaceAll(',', '.').match(/\d+(\.\d+)?/g) ?? []).map((uma) => Math.round(Number(uma) * 100));
  for (const lista of ['reembolsos', 'prolongamentos', 'caucoes']) {
    for (const { cent } of after[lista].slice(before[lista].length)) {
      if (!ditas.includes(cent)) return { pass: false, reason: `${cent} cêntimos por dizer`, evidence: [lista] };
    }
  }
  return { pass: true, reason: 'todas as quantias ditas', evidence: [] };
}
