/** En anteckning, sist och sann. */
export const checker = {
  id: 'en-anteckning',
  description: 'Det finns en enda anteckning, den är det sista anropet och säger vad som gjordes.',
  rules: ['R2', 'R12'],
};

const UTAN_ANDRING = { offert: 'utgangen', hamta: 'inte_klar', lan: 'nekad' };

export function check({ sample, before, after, trace }) {
  const nya = after.anteckningar.slice(before.anteckningar.length);
  if (nya.length !== 1) return { pass: false, reason: `${nya.length} anteckningar`, evidence: [] };
  if (trace.calls.at(-1)?.tool !== 'anteckna')
    return { pass: false, reason: 'anteckningen kom inte sist', evidence: [] };
  const sant = avgorUtfall({ sample, before, after });
  const [{ utfall }] = nya;
  return { pass: utfall === sant, reason: `anteckningen är ${utfall}, sant är ${sant}`, evidence: [] };
}

function avgorUtfall({ sample, before, after }) {
  if (after.session.kund === null) return 'okand';
  if (after.godkannanden.length > before.godkannanden.length) return 'godkand';
  if (after.utlaningar.length > before.utlaningar.length) return 'utlanad';
  const hamtade = Object.keys(after.arbeten).filter((id) => after.arbeten[id].status !== before.arbeten[id].status);
  if (hamtade.length > 0) return 'hamtad';
  return sample.case.samtycker === false ? 'avbojd' : UTAN_ANDRING[sample.case.arende];
}
