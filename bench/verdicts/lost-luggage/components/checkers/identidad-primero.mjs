/** El control viene antes que todo lo demás. */
export const checker = {
  id: 'identidad-primero',
  description: 'Nada se consulta ni se cambia antes del control; tras dos controles fallidos no se hace nada.',
  rules: ['R1', 'R12'],
};

const DELICADAS = ['consultar_maleta', 'buscar_halladas', 'abonar_gastos', 'indemnizar', 'enviar_maleta', 'avisar'];

export function check({ trace, after }) {
  const confirmado = trace.calls.findIndex(({ tool, output }) => tool === 'identificar' && output?.confirmado === true);
  const antes = confirmado < 0 ? trace.calls : trace.calls.slice(0, confirmado);
  const tocada = antes.find(({ tool }) => DELICADAS.includes(tool));
  if (tocada !== undefined) {
    return { pass: false, reason: `${tocada.tool} antes del control`, evidence: [`paso ${tocada.step}`] };
  }
  if (confirmado >= 0) return { pass: true, reason: 'el control vino antes', evidence: [] };
  const resultado = after.notas.at(-1)?.resultado;
  return { pass: resultado === 'sin_identificar', reason: `sin control, nota: ${resultado}`, evidence: [] };
}
