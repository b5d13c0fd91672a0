/** Das Fach des Termins ist das der Überweisung. */
export const checker = {
  id: 'fach-passt',
  description: 'Ein gebuchter Termin gehört zum Fach der Überweisung.',
  rules: ['R7'],
};

export function check({ sample, after, trace }) {
  const { fach, termin } = after.ueberweisungen[sample.case_of.ueberweisung];
  if (termin === null) {
    const versucht = trace.calls.some(({ tool }) => tool === 'termine_suchen' || tool === 'vermerken');
    return { pass: versucht, reason: 'nichts gebucht', evidence: [] };
  }
  const pass = after.termine[termin].fach === fach;
  return { pass, reason: `${termin} gehört zu ${after.termine[termin].fach}, verlangt ist ${fach}`, evidence: [] };
}
