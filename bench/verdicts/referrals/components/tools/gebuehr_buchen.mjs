/** Bucht die Gebühr einer späten Absage. */
export const tool = {
  name: 'gebuehr_buchen',
  description: 'Bucht die Gebühr einer späten Absage, in Cent.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['termin', 'cent'],
    properties: { termin: { type: 'string' }, cent: { type: 'integer', minimum: 1 } },
  },
  examples: [{ input: { termin: 'T-11', cent: 2500 }, world: 'freitag.json' }],
};

export function run(input, world) {
  if (world.sitzung.patient === null) return { ok: false, fehler: 'niemand hat sich ausgewiesen' };
  const nummer = input.termin.trim().toUpperCase();
  if (world.termine[nummer] === undefined) return { ok: false, fehler: 'diesen Termin gibt es nicht' };
  if (input.cent > 10000) return { ok: false, fehler: 'so hoch ist keine Gebühr' };
  if (world.gebuehren.some(({ termin }) => termin === nummer)) return { ok: false, fehler: 'sie ist schon gebucht' };
  world.gebuehren.push({ termin: nummer, cent: input.cent });
  return { ok: true, termin: nummer, gebucht_cent: input.cent };
}
