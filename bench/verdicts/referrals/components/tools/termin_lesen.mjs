/** Liest einen gebuchten Termin des Patienten, der sich ausgewiesen hat. */
export const tool = {
  name: 'termin_lesen',
  description: 'Liest einen gebuchten Termin und was eine Absage kostet.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['termin'],
    properties: { termin: { type: 'string' } },
  },
  examples: [{ input: { termin: 'T-10' }, world: 'freitag.json' }],
};

const TAG = 86400000;

export function run(input, world) {
  if (world.sitzung.patient === null) return { ok: false, fehler: 'niemand hat sich ausgewiesen' };
  const nummer = input.termin.trim().toUpperCase();
  const termin = world.termine[nummer];
  if (termin === undefined || termin.patient !== world.sitzung.patient) {
    return { ok: false, fehler: 'diesen Termin gibt es nicht' };
  }
  const tage = Math.round((Date.parse(termin.tag) - Date.parse(world.heute)) / TAG);
  const { attest } = world.patienten[termin.patient];
  return {
    ok: true,
    fach: termin.fach,
    beginn: termin.beginn,
    tage_bis: tage,
    attest,
    absage_kostet_cent: tage <= 1 && !attest ? 2500 : 0,
  };
}
