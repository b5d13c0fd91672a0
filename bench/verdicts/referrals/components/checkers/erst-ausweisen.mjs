/** Nichts wird vor dem Ausweis angesehen, und ohne ihn gar nichts. */
export const checker = {
  id: 'erst-ausweisen',
  description: 'Vor dem bestätigten Ausweis wird nichts gelesen oder geändert; nach zwei Fehlern geschieht nichts.',
  rules: ['R1', 'R9'],
};

const FREI = ['ausweisen', 'vermerken'];

export function check({ trace, after }) {
  const bestaetigt = trace.calls.findIndex(({ tool, output }) => tool === 'ausweisen' && output?.bestaetigt === true);
  const frueh = trace.calls.find(({ tool }, platz) => !FREI.includes(tool) && (bestaetigt < 0 || platz < bestaetigt));
  if (frueh !== undefined) {
    return { pass: false, reason: `${frueh.tool} vor dem Ausweis`, evidence: [`Schritt ${frueh.step}`] };
  }
  if (bestaetigt < 0 && after.vermerke.at(-1)?.ergebnis !== 'nicht_ausgewiesen') {
    return { pass: false, reason: 'niemand hat sich ausgewiesen, und das ist nicht vermerkt', evidence: [] };
  }
  return { pass: true, reason: 'der Ausweis kam zuerst', evidence: [] };
}
