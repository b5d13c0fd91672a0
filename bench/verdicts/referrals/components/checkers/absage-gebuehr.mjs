/** Eine Absage kostet, was sie kostet. */
export const checker = {
  id: 'absage-gebuehr',
  description: 'Am Tag davor oder später kostet eine Absage 25 Euro, mit Attest oder früher nichts.',
  rules: ['R4', 'R5'],
};

const TAG = 86400000;

export function check({ sample, before, after, trace }) {
  const nummer = sample.case_of.termin;
  const termin = before.termine[nummer];
  const abgesagt = after.termine[nummer].patient !== termin.patient;
  const tage = Math.round((Date.parse(termin.tag) - Date.parse(before.heute)) / TAG);
  const soll = abgesagt && tage <= 1 && !before.patienten[termin.patient].attest ? 2500 : 0;
  const ist = after.gebuehren.reduce((summe, eins) => summe + (eins.termin === nummer ? eins.cent : 0), 0);
  if (trace.says.length === 0) return { pass: false, reason: 'es wurde nichts gesagt', evidence: [] };
  return { pass: ist === soll, reason: `${ist} Cent gebucht, ${soll} wären richtig`, evidence: [] };
}
