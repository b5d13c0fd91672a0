/** Un règlement ne laisse rien d'ouvert, et ne touche à personne d'autre. */
export const checker = {
  id: 'rien-oublie',
  description: "Après un règlement aucune somme de l'adhérent n'est ouverte, et celles des autres n'ont pas bougé.",
  rules: ['R2'],
};

export function check({ sample, before, after }) {
  const numero = sample.case_of.adherent;
  const paye = after.versements.length > 0;
  for (const [id, dette] of Object.entries(after.dettes)) {
    const change = dette.etat !== before.dettes[id].etat;
    if (dette.adherent !== numero && change) return { pass: false, reason: `${id} est à un autre`, evidence: [] };
    if (dette.adherent === numero && dette.etat === 'ouverte' && paye)
      return { pass: false, reason: `${id} reste ouverte`, evidence: [] };
    if (dette.adherent === numero && change && !paye)
      return { pass: false, reason: `${id} est réglée sans versement`, evidence: [] };
  }
  const attendu = sample.case?.accord !== false && after.notes.at(-1)?.resultat !== 'refuse';
  return { pass: paye === attendu, reason: paye ? 'tout est réglé' : 'rien versé', evidence: [] };
}
