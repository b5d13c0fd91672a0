/** A confirmação vem depois do feito e diz o seu assunto. */
export const checker = {
  id: 'confirmacao-depois',
  description:
    'Depois de cancelar, prolongar ou sair há uma confirmação com o seu assunto, nunca antes nem sem motivo.',
  rules: ['R16'],
};

const ASSUNTOS = { cancelar_reserva: 'cancelada', prolongar_reserva: 'prolongada', fechar_conta: 'saida' };

export function check({ trace }) {
  if (trace.says.length === 0) return { pass: false, reason: 'não se disse nada', evidence: [] };
  const pendentes = [];
  for (const { tool, input, output, step } of trace.calls) {
    if (output?.ok !== true) continue;
    const reserva = String(input.reserva).trim().toUpperCase();
    if (ASSUNTOS[tool] !== undefined) pendentes.push(`${ASSUNTOS[tool]} ${reserva}`);
    if (tool !== 'enviar_confirmacao') continue;
    const lugar = pendentes.indexOf(`${input.assunto} ${reserva}`);
    if (lugar < 0)
      return { pass: false, reason: `confirmação ${input.assunto} sem razão`, evidence: [`passo ${step}`] };
    pendentes.splice(lugar, 1);
  }
  return { pass: pendentes.length === 0, reason: `${pendentes.length} confirmações por enviar`, evidence: pendentes };
}
