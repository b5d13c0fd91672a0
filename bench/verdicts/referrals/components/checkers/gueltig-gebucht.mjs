/** Gebucht wird genau dann, wenn die Überweisung gilt und ein Platz da ist. */
export const checker = {
  id: 'gueltig-gebucht',
  description: 'Auf eine höchstens neunzig Tage alte Überweisung wird ein Termin gebucht, auf eine ältere keiner.',
  rules: ['R2'],
};

const TAG = 86400000;

export function check({ sample, before, after }) {
  const nummer = sample.case_of.ueberweisung;
  const schein = before.ueberweisungen[nummer];
  const alter = Math.round((Date.parse(before.heute) - Date.parse(schein.ausgestellt)) / TAG);
  const { termin } = after.ueberweisungen[nummer];
  const hat = termin !== null && after.termine[termin]?.patient === schein.patient;
  const soll = alter <= 90 && sample.case?.platz_in_48h !== false;
  return {
    pass: hat === soll,
    reason: `${nummer} ist ${alter} Tage alt und ${hat ? '' : 'nicht '}gebucht`,
    evidence: [],
  };
}
