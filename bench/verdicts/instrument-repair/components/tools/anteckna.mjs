/** Skriver hur kontakten slutade. */
export const tool = {
  name: 'anteckna',
  description: 'Skriver hur kontakten slutade.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['utfall'],
    properties: {
      utfall: {
        type: 'string',
        enum: ['godkand', 'utgangen', 'hamtad', 'inte_klar', 'utlanad', 'nekad', 'avbojd', 'okand'],
      },
    },
  },
  examples: [{ input: { utfall: 'godkand' }, world: 'oktober.json' }],
};

export function run(input, world) {
  world.anteckningar.push({ utfall: input.utfall });
  return { ok: true, utfall: input.utfall };
}
