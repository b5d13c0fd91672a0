/** Lit une inscription de l'adhérent identifié. */
export const tool = {
  name: 'lire_inscription',
  description: "Lit une inscription et ce qu'un départ rendrait aujourd'hui.",
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['inscription'],
    properties: { inscription: { type: 'string' } },
  },
  examples: [{ input: { inscription: 'I-1' }, world: 'rentree.json' }],
};

export function run(input, world) {
  if (world.session.adherent === null) return { ok: false, erreur: "personne n'est identifié" };
  const numero = input.inscription.trim().toUpperCase();
  const inscription = world.inscriptions[numero];
  if (!inscription || inscription.adherent !== world.session.adherent) {
    return { ok: false, erreur: "cette inscription n'existe pas" };
  }
  const jours = Math.round((Date.parse(world.jour) - Date.parse(inscription.depuis)) / 86400000);
  const { certificat } = world.adherents[inscription.adherent];
  const { annuel_cents: annuel } = inscription;
  const rendu = certificat || jours <= 14 ? annuel : jours <= 90 ? Math.round(annuel / 2) : 0;
  return {
    ok: true,
    activite: inscription.activite,
    depuis: inscription.depuis,
    jours,
    etat: inscription.etat,
    annuel_cents: annuel,
    rendu_cents: rendu,
  };
}
