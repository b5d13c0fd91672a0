/** Sagt einen Termin ab. */
export const tool = {
  name: 'termin_absagen',
  description: 'Sagt einen Termin ab; er ist danach wieder frei.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['termin'],
    properties: { termin: { type: 'string' } },
  },
  examples: [{ input: { termin: 'T-10' }, world: 'freitag.json' }],
};

export function run(input, world) {
  if (world.sitzung.patient === null) return { ok: false, fehler: 'niemand hat sich ausgewiesen' };
  const nummer = input.termin.trim().toUpperCase();
  const termin = world.termine[nummer];
  if (termin === undefined || termin.patient !== world.sitzung.patient) {
    return { ok: false, fehler: 'diesen Termin gibt es nicht' };
  }
  if (Date.parse(termin.beginn) <= Date.parse(world.jetzt)) return { ok: false, fehler: 'dieser Termin ist vorbei' };
  termin.patient = null;
  for (const schein of Object.values(world.ueberweisungen)) {
    if (schein.termin === nummer) schein.termin = null;
  }
  return { ok: true, abgesagt: nummer };
}
