/** Le remboursement est celui du jour du départ. */
export const checker = {
  id: 'remboursement-juste',
  description: 'Tout dans les 14 jours ou avec certificat, la moitié jusqu’au 90e jour, rien après.',
  rules: ['R5', 'R6', 'R10'],
};

export function check({ sample, before, after }) {
  const { inscription: numero, adherent } = sample.case_of;
  const avant = before.inscriptions[numero];
  const jours = Math.round((Date.parse(before.jour) - Date.parse(avant.depuis)) / 86400000);
  const part = before.adherents[adherent].certificat || jours <= 14 ? 1 : jours <= 90 ? 0.5 : 0;
  const part_accord = sample.case?.accord === false ? 0 : part;
  const du = Math.round(avant.annuel_cents * part_accord);
  const rendu = after.remboursements.reduce((somme, un) => somme + (un.inscription === numero ? un.cents : 0), 0);
  if (rendu !== du) return { pass: false, reason: `${rendu} remboursés, ${du} dus`, evidence: [] };
  const etat = sample.case?.accord === false ? 'active' : 'resiliee';
  for (const [id, une] of Object.entries(after.inscriptions)) {
    const attendu = id === numero ? etat : before.inscriptions[id].etat;
    if (une.etat !== attendu) return { pass: false, reason: `${id} est ${une.etat}`, evidence: [] };
  }
  const lue = after.notes.length > 0;
  return { pass: lue, reason: 'le remboursement est juste', evidence: [] };
}
