/** Escribe cómo ha acabado el contacto. */
export const tool = {
  name: 'anotar',
  description: 'Escribe cómo ha acabado el contacto.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['resultado'],
    properties: {
      resultado: {
        type: 'string',
        enum: ['abonado', 'indemnizado', 'enviado', 'rechazado', 'renuncia', 'sin_identificar'],
      },
    },
  },
  examples: [{ input: { resultado: 'rechazado' }, world: 'septiembre.json' }],
};

export function run(input, world) {
  world.notas.push({ resultado: input.resultado });
  return { ok: true, resultado: input.resultado };
}
