/** El aviso viene después de lo hecho y dice su motivo. */
export const checker = {
  id: 'aviso-despues',
  description: 'Tras un envío o una indemnización hay un aviso con su motivo, nunca antes y nunca sin motivo.',
  rules: ['R10'],
};

const MOTIVOS = { enviar_maleta: 'enviada', indemnizar: 'indemnizada' };

export function check({ trace }) {
  if (trace.says.length === 0) return { pass: false, reason: 'no se ha dicho nada', evidence: [] };
  const pendientes = [];
  for (const { tool, input, output, step } of trace.calls) {
    if (output?.ok !== true) continue;
    if (MOTIVOS[tool] !== undefined) pendientes.push(MOTIVOS[tool]);
    if (tool !== 'avisar') continue;
    if (pendientes.shift() !== input.motivo) {
      return { pass: false, reason: `aviso ${input.motivo} fuera de lugar`, evidence: [`paso ${step}`] };
    }
  }
  return { pass: pendientes.length === 0, reason: `${pendientes.length} avisos sin mandar`, evidence: [] };
}
