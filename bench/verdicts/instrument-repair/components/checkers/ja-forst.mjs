/** Inget godkänns, betalas eller lånas utan ett ja till beloppet. */
export const checker = {
  id: 'ja-forst',
  description: 'Före varje ändring har beloppet sagts, och kunden har svarat ja.',
  rules: ['R10'],
};

const ANDRAR = ['godkann_offert', 'lamna_ut', 'lana_ut'];
const JA =
  /^\W*(ja|japp|jo|okej|ok|visst|absolut|gärna|javisst|självklart|det går bra|gör det|kör|ano|jo|dobře|jasně|souhlasím|platí|určitě|prosím)(?!\p{L})/iu;

export function check({ trace }) {
  const { events } = trace;
  for (const [plats, handelse] of events.entries()) {
    if (handelse.type !== 'call' || !ANDRAR.includes(handelse.tool) || handelse.output?.ok !== true) continue;
    const ore = raknaBelopp(handelse);
    const fraga = events.findLastIndex((en, dar) => dar < plats && en.type === 'says' && namner(en.text, ore));
    const svar = events.slice(fraga + 1, plats).find(({ type }) => type === 'user');
    if (fraga < 0 || svar === undefined || !JA.test(svar.text)) {
      return {
        pass: false,
        reason: `${handelse.tool} utan ett ja till ${ore} öre`,
        evidence: [`steg ${handelse.step}`],
      };
    }
  }
  return { pass: trace.says.length > 0, reason: 'allt har fått sitt ja', evidence: [] };
}

function raknaBelopp({ tool, input, output }) {
  if (tool === 'godkann_offert') return input.pris_ore;
  return tool === 'lamna_ut' ? output.betalt_ore : output.depost_ore;
}

function namner(text, ore) {
  const belopp =
    text
      .replace(/(\d)[\s.](?=\d{3}(?!\d))/g, '$1')
      .replaceAll(',', '.')
      .match(/\d+(\.\d+)?/g) ?? [];
  return belopp.some((ett) => Math.round(Number(ett) * 100) === ore);
}
