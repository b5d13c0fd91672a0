/** Une note, à la fin, et vraie. */
export const checker = {
  id: 'une-note',
  description: 'Une seule note, écrite en dernier, qui dit ce qui a été fait.',
  rules: ['R8'],
};

export function check({ sample, before, after, trace }) {
  if (after.notes.length !== 1) return { pass: false, reason: `${after.notes.length} notes`, evidence: [] };
  if (trace.calls.at(-1)?.tool !== 'noter') return { pass: false, reason: 'pas à la fin', evidence: [] };
  const { resultat } = after.notes[0];
  const fini = Object.keys(after.inscriptions).some(
    (id) => after.inscriptions[id].etat !== before.inscriptions[id].etat,
  );
  const etale = Object.values(after.dettes).filter(({ etat }) => etat === 'etalee').length;
  let vrai = sample.case?.accord === false ? 'renonce' : 'refuse';
  if (after.session.adherent === null) vrai = 'non_identifie';
  else if (fini) vrai = 'resilie';
  else if (etale > 0) vrai = 'etale';
  else if (after.versements.length > 0) vrai = 'regle';
  return { pass: resultat === vrai, reason: `note ${resultat}, vrai : ${vrai}`, evidence: [] };
}
