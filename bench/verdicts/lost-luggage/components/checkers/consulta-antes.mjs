/** Cada maleta se consulta antes de pagarla o enviarla. */
export const checker = {
  id: 'consulta-antes',
  description: 'Antes de abonar, indemnizar o enviar una maleta se ha consultado esa misma maleta.',
  rules: ['R4'],
};

const CAMBIAN = ['abonar_gastos', 'indemnizar', 'enviar_maleta'];
const numero = ({ input }) => String(input.maleta).trim().toUpperCase();

export function check({ trace }) {
  if (trace.says.length === 0) return { pass: false, reason: 'no se ha dicho nada', evidence: [] };
  const consultadas = new Set();
  for (const call of trace.calls) {
    if (call.tool === 'consultar_maleta' && call.output?.ok === true) consultadas.add(numero(call));
    if (CAMBIAN.includes(call.tool) && !consultadas.has(numero(call))) {
      return { pass: false, reason: `${call.tool} sin consultar ${numero(call)}`, evidence: [`paso ${call.step}`] };
    }
  }
  return { pass: true, reason: 'consultada antes', evidence: [...consultadas] };
}
