/** Lit ce que doit l'adhérent identifié. */
export const tool = {
  name: 'lire_compte',
  description: "Lit les sommes ouvertes de l'adhérent identifié, leur total et ce qui est à régler à son tarif.",
  input_schema: { type: 'object', additionalProperties: false, required: [], properties: {} },
  examples: [{ input: {}, world: 'rentree.json' }],
};

export function run(input, world) {
  const numero = world.session.adherent;
  if (numero === null) return { ok: false, erreur: "personne n'est identifié" };
  const sommes = Object.entries(world.dettes)
    .filter(([, dette]) => dette.adherent === numero && dette.etat === 'ouverte')
    .map(([id, { motif, cents }]) => ({ id, motif, cents }));
  const total = sommes.reduce((somme, { cents }) => somme + cents, 0);
  const cotisations = sommes.reduce((somme, { motif, cents }) => somme + (motif === 'cotisation' ? cents : 0), 0);
  const reduit = world.adherents[numero].tarif === 'reduit';
  const regler = reduit ? Math.round((cotisations * 7) / 10) + total - cotisations : total;
  return { ok: true, sommes, total_cents: total, a_regler_cents: regler, trois_fois: !reduit && total >= 20000 };
}
