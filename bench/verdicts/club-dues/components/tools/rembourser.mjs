/** Rembourse une inscription résiliée. */
export const tool = {
  name: 'rembourser',
  description: "Rembourse une part d'une inscription résiliée.",
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['inscription', 'cents'],
    properties: { inscription: { type: 'string' }, cents: { type: 'integer', minimum: 1 } },
  },
  examples: [{ input: { inscription: 'I-1', cents: 100 }, world: 'rentree.json' }],
};

export function run(input, world) {
  if (world.session.adherent === null) return { ok: false, erreur: "personne n'est identifié" };
  const numero = input.inscription.trim().toUpperCase();
  const inscription = world.inscriptions[numero];
  if (!inscription || inscription.adherent !== world.session.adherent) {
    return { ok: false, erreur: "cette inscription n'existe pas" };
  }
  if (inscription.etat !== 'resiliee') return { ok: false, erreur: "elle n'est pas résiliée" };
  if (input.cents > inscription.annuel_cents) return { ok: false, erreur: "c'est plus que l'année" };
  const deja = world.remboursements.some((un) => un.inscription === numero);
  if (deja) return { ok: false, erreur: 'elle est déjà remboursée' };
  world.remboursements.push({ inscription: numero, cents: input.cents });
  return { ok: true, inscription: numero, rembourse_cents: input.cents };
}
