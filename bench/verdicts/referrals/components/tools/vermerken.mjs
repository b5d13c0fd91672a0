/** Schreibt auf, wie das Gespräch ausging. */
export const tool = {
  name: 'vermerken',
  description: 'Schreibt auf, wie das Gespräch ausging.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['ergebnis'],
    properties: {
      ergebnis: {
        type: 'string',
        enum: ['gebucht', 'abgesagt', 'abgelehnt', 'weitergeleitet', 'behalten', 'nicht_ausgewiesen'],
      },
    },
  },
  examples: [{ input: { ergebnis: 'abgelehnt' }, world: 'freitag.json' }],
};

export function run(input, world) {
  world.vermerke.push({ ergebnis: input.ergebnis });
  return { ok: true, ergebnis: input.ergebnis };
}
