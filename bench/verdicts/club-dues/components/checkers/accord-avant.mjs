/** Pas d'encaissement ni de fin sans un oui au montant. */
export const checker = {
  id: 'accord-avant',
  description: 'Avant chaque encaissement et chaque résiliation le montant a été dit et accepté.',
  rules: ['R7'],
};

const OUI = /^\W*(oui|d['’]accord|ok|okay|volontiers|allez-y|ça marche|parfait|bien sûr|entendu|yes|sure)(?!\p{L})/iu;

export function check({ sample, trace, after }) {
  const { events } = trace;
  for (const [place, event] of events.entries()) {
    if (event.type !== 'call' || !['encaisser', 'resilier'].includes(event.tool)) continue;
    const montant = event.tool === 'encaisser' ? event.input.cents : rendu(after, event.input.inscription);
    const dit = events.findLastIndex((un, ou) => ou < place && un.type === 'says' && nomme(un.text, montant));
    const reponse = events.slice(dit + 1, place).find((un) => un.type === 'user');
    if (dit < 0 || !reponse || !OUI.test(reponse.text)) {
      return { pass: false, reason: `${event.tool} sans un oui`, evidence: [`étape ${event.step}`] };
    }
  }
  if (sample.case?.accord === false && events.some(({ type, tool }) => type === 'call' && tool === 'rembourser')) {
    return { pass: false, reason: 'remboursé après un non', evidence: [] };
  }
  return { pass: trace.says.length > 0, reason: 'chaque fois un oui', evidence: [] };
}

function rendu(after, inscription) {
  const numero = String(inscription).trim().toUpperCase();
  return after.remboursements.find((un) => un.inscription === numero)?.cents ?? 0;
}

function nomme(text, cents) {
  const nombres = text.replaceAll(',', '.').match(/\d+(\.\d+)?/g) ?? [];
  if (cents === 0 && /\brien\b|\baucun/i.test(text)) return true;
  return nombres.some((nombre) => Math.round(Number(nombre) * 100) === cents);
}
