/** Sem lugar, diz-se outro que esteja livre. */
export const checker = {
  id: 'outro-lugar',
  description: 'Quando o lugar não chega, as últimas palavras dizem um lugar do mesmo tipo que ver_lugares mostrou.',
  rules: ['R19'],
};

export function check({ sample, before, trace, final: palavras }) {
  const final = palavras.replace(/[\u2010-\u2015]/g, '-');
  const { tipo } = before.lugares[sample.case_of.lugar];
  const mostrados = trace.calls
    .filter(({ tool, input, output }) => tool === 'ver_lugares' && input.tipo === tipo && output?.ok === true)
    .flatMap(({ output }) => output.lugares.map(({ lugar }) => lugar));
  const dito = mostrados.find((lugar) => final.toUpperCase().includes(lugar));
  return { pass: dito !== undefined, reason: `dito: ${dito ?? 'nenhum'}`, evidence: mostrados };
}
