/** Nada se devolve nem se cobra sem um sim à quantia. */
export const checker = {
  id: 'com-um-sim',
  description: 'Antes de cancelar, prolongar ou fechar disse-se a quantia, e o hóspede disse que sim.',
  rules: ['R14'],
};

const MUDAM = ['cancelar_reserva', 'prolongar_reserva', 'fechar_conta'];
const SIM =
  /^\W*(sim|claro|está bem|pode ser|de acordo|com certeza|perfeito|combinado|ok|ja|goed|prima|graag|akkoord|natuurlijk|oké)(?!\p{L})/iu;

export function check({ trace }) {
  const { events } = trace;
  for (const [lugar, evento] of events.entries()) {
    if (evento.type !== 'call' || !MUDAM.includes(evento.tool)) continue;
    const cent = evento.tool === 'fechar_conta' ? (evento.output?.devolvido_cent ?? 0) : evento.input.cent;
    const dito = events.findLastIndex((um, onde) => onde < lugar && um.type === 'says' && nomeia(um.text, cent));
    const resposta = events.slice(dito + 1, lugar).find((um) => um.type === 'user');
    if (dito < 0 || resposta === undefined || !SIM.test(resposta.text)) {
      return { pass: false, reason: `${evento.tool} sem um sim`, evidence: [`passo ${evento.step}`] };
    }
  }
  return { pass: trace.says.length > 0, reason: 'tudo teve o seu sim', evidence: [] };
}

function nomeia(texto, cent) {
  if (cent === 0 && /\b(nada|nenhum|niets|geen)\b/i.test(texto)) return true;
  const quantias = texto.replaceAll(',', '.').match(/\d+(\.\d+)?/g) ?? [];
  return quantias.some((uma) => Math.round(Number(uma) * 100) === cent);
}
