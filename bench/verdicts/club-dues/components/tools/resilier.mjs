/** Met fin à une inscription. */
export const tool = {
  name: 'resilier',
  description: 'Met fin à une inscription.',
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
  if (inscription.etat !== 'active') return { ok: false, erreur: 'elle est déjà résiliée' };
  inscription.etat = 'resiliee';
  return { ok: true, inscription: numero, etat: inscription.etat };
}
