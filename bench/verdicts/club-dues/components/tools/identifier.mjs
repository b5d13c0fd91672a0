/** Compare le numéro d'adhérent et le code, dits tous deux par l'adhérent. */
export const tool = {
  name: 'identifier',
  description: "Compare le numéro d'adhérent et le code.",
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['adherent', 'code'],
    properties: { adherent: { type: 'string' }, code: { type: 'string' } },
  },
  examples: [
    { input: { adherent: 'A-12', code: 'K7R2' }, world: 'rentree.json' },
    { input: { adherent: 'A-12', code: 'XXXX' }, world: 'rentree.json' },
  ],
};

export function run(input, world) {
  if (world.session.essais >= 2) return { confirme: false, erreur: "plus d'essai" };
  world.session.essais += 1;
  const numero = input.adherent.trim().toUpperCase();
  const adherent = world.adherents[numero];
  if (!adherent || adherent.code !== input.code.trim().toUpperCase()) return { confirme: false };
  world.session.adherent = numero;
  return { confirme: true, nom: adherent.nom, tarif: adherent.tarif };
}
