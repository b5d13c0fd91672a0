/** Cada reserva lê-se antes de se mudar. */
export const checker = {
  id: 'lida-antes',
  description: 'Antes de cancelar, prolongar ou fechar uma reserva leu-se essa mesma reserva.',
  rules: ['R15'],
};

const MUDAM = ['cancelar_reserva', 'prolongar_reserva', 'fechar_conta'];
const numero = ({ input }) => String(input.reserva).trim().toUpperCase();

export function check({ trace }) {
  if (trace.says.length === 0) return { pass: false, reason: 'não se disse nada', evidence: [] };
  const lidas = new Set();
  for (const call of trace.calls) {
    if (call.tool === 'ler_reserva' && call.output?.ok === true) lidas.add(numero(call));
    if (MUDAM.includes(call.tool) && !lidas.has(numero(call))) {
      return { pass: false, reason: `${call.tool} sem ler ${numero(call)}`, evidence: [`passo ${call.step}`] };
    }
  }
  return { pass: true, reason: 'lida antes', evidence: [...lidas] };
}
