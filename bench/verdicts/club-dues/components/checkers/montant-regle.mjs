/** Ce qui est encaissé est ce qui est dû, toutes sommes ouvertes additionnées. */
export const checker = {
  id: 'montant-regle',
  description: 'La somme des dettes ouvertes, cotisations à 70 % au tarif réduit, un tiers en trois fois.',
  rules: ['R2', 'R3', 'R4'],
};

export function check({ sample, before, after, trace }) {
  if (trace.says.length === 0) return { pass: false, reason: "rien n'a été dit", evidence: [] };
  const numero = sample.case_of.adherent;
  const reduit = before.adherents[numero].tarif === 'reduit';
  let du = 0;
  let ouvert = 0;
  let cotisations = 0;
  for (const dette of Object.values(before.dettes)) {
    if (dette.adherent !== numero || dette.etat !== 'ouverte') continue;
    ouvert += dette.cents;
    if (dette.motif === 'cotisation') cotisations += dette.cents;
  }
  du = reduit ? ouvert - cotisations + Math.round(cotisations * 0.7) : ouvert;
  if (sample.case?.en_trois_fois === true) du = ouvert >= 20000 ? Math.round(ouvert / 3) : 0;
  if (sample.case?.accord === false) du = 0;
  const encaisse = after.versements
    .filter((un) => un.adherent === numero)
    .reduce((somme, { cents }) => somme + cents, 0);
  return { pass: encaisse === du, reason: `${encaisse} encaissés, ${du} dus`, evidence: [] };
}
