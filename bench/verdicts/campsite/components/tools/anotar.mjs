/** Escreve como acabou o contacto. */
export const tool = {
  name: 'anotar',
  description: 'Escreve como acabou o contacto.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['resultado'],
    properties: {
      resultado: {
        type: 'string',
        enum: ['cancelada', 'prolongada', 'saida', 'recusado', 'desistiu', 'sem_identificacao'],
      },
    },
  },
  examples: [{ input: { resultado: 'recusado' }, world: 'julho.json' }],
};

export function run(input, world) {
  world.notas.push({ resultado: input.resultado });
  return { ok: true, resultado: input.resultado };
}
