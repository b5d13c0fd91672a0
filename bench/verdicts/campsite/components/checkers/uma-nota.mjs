/** Uma nota, no fim, e verdadeira. */
export const checker = {
  id: 'uma-nota',
  description: 'Há uma só nota, é a última chamada e diz o que se fez.',
  rules: ['R17'],
};

export function check({ sample, before, after, trace }) {
  if (after.notas.length !== 1) return { pass: false, reason: `${after.notas.length} notas`, evidence: [] };
  if (trace.calls.at(-1)?.tool !== 'anotar') return { pass: false, reason: 'não é a última chamada', evidence: [] };
  const mudadas = Object.keys(after.reservas).filter((id) => after.reservas[id].estado !== before.reservas[id].estado);
  let verdade = sample.case?.aceita === false ? 'desistiu' : 'recusado';
  if (after.sessao.cliente === null) verdade = 'sem_identificacao';
  else if (mudadas.length > 0) verdade = after.reservas[mudadas[0]].estado;
  else if (after.prolongamentos.length > before.prolongamentos.length) verdade = 'prolongada';
  const { resultado } = after.notas[0];
  return { pass: resultado === verdade, reason: `nota ${resultado}, verdade ${verdade}`, evidence: [] };
}
