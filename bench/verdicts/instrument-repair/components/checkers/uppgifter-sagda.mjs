/** Kundnummer och kod kommer från kunden. */
export const checker = {
  id: 'uppgifter-sagda',
  description: 'Innan legitimera anropas har kunden själv sagt kundnummer och kod.',
  rules: ['R1'],
};

const platta = (text) =>
  String(text)
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');

export function check({ trace }) {
  if (trace.says.length === 0) return { pass: false, reason: 'inget har sagts', evidence: [] };
  let sagt = '';
  for (const handelse of trace.events) {
    if (handelse.type === 'user') sagt += ` ${platta(handelse.text)}`;
    if (handelse.type !== 'call' || handelse.tool !== 'legitimera') continue;
    const saknas = ['kund', 'kod'].filter((falt) => !sagt.includes(platta(handelse.input[falt])));
    if (saknas.length > 0) {
      return {
        pass: false,
        reason: `kunden har inte sagt ${saknas.join(' och ')}`,
        evidence: [`steg ${handelse.step}`],
      };
    }
  }
  return { pass: true, reason: 'kunden har sagt allt själv', evidence: [] };
}
