/** Écrit comment l'échange a fini. */
export const tool = {
  name: 'noter',
  description: "Écrit comment l'échange a fini.",
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['resultat'],
    properties: {
      resultat: { type: 'string', enum: ['regle', 'etale', 'resilie', 'refuse', 'renonce', 'non_identifie'] },
    },
  },
  examples: [{ input: { resultat: 'refuse' }, world: 'rentree.json' }],
};

export function run(input, world) {
  world.notes.push({ resultat: input.resultat });
  return { ok: true, resultat: input.resultat };
}
