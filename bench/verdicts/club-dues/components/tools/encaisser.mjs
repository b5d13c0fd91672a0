/** Encaisse, en une ou trois fois. */
export const tool = {
  name: 'encaisser',
  description:
    "Encaisse un montant et règle, ou étale en trois fois, toutes les sommes ouvertes de l'adhérent identifié.",
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['cents', 'moyen', 'fois'],
    properties: {
      cents: { type: 'integer', minimum: 1 },
      moyen: { type: 'string', enum: ['carte', 'especes', 'cheque'] },
      fois: { type: 'integer', enum: [1, 3] },
    },
  },
  examples: [{ input: { cents: 2000, moyen: 'carte', fois: 1 }, world: 'rentree.json' }],
};

export function run(input, world) {
  const numero = world.session.adherent;
  if (numero === null) return { ok: false, erreur: "personne n'est identifié" };
  const ouvertes = Object.values(world.dettes).filter((dette) => dette.adherent === numero && dette.etat === 'ouverte');
  const total = ouvertes.reduce((somme, { cents }) => somme + cents, 0);
  if (ouvertes.length === 0) return { ok: false, erreur: "rien n'est ouvert" };
  if (input.cents > total) return { ok: false, erreur: "c'est plus que ce qui est ouvert" };
  if (input.fois === 3 && total < 20000) return { ok: false, erreur: 'trop peu pour trois fois' };
  if (input.moyen === 'especes' && input.cents > 30000) return { ok: false, erreur: 'trop pour des espèces' };
  world.versements.push({ adherent: numero, cents: input.cents, moyen: input.moyen });
  for (const dette of ouvertes) dette.etat = input.fois === 3 ? 'etalee' : 'reglee';
  return { ok: true, encaisse_cents: input.cents, moyen: input.moyen, sommes: ouvertes.length };
}
