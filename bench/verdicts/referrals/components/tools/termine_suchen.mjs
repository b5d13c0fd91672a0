/** Nennt die freien Termine eines Fachs, den nächsten zuerst. */
export const tool = {
  name: 'termine_suchen',
  description: 'Nennt freie Termine eines Fachs und in wie vielen Minuten sie beginnen.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['fach'],
    properties: { fach: { type: 'string', enum: ['kardiologie', 'dermatologie', 'orthopaedie'] } },
  },
  examples: [{ input: { fach: 'kardiologie' }, world: 'freitag.json' }],
};

export function run(input, world) {
  if (world.sitzung.patient === null) return { ok: false, fehler: 'niemand hat sich ausgewiesen' };
  const frei = Object.entries(world.termine)
    .filter(([, termin]) => termin.fach === input.fach && termin.patient === null)
    .map(([nummer, { beginn }]) => ({
      termin: nummer,
      beginn,
      in_minuten: Math.round((Date.parse(beginn) - Date.parse(world.jetzt)) / 60000),
    }))
    .filter(({ in_minuten }) => in_minuten > 0)
    .sort((eins, zwei) => eins.in_minuten - zwei.in_minuten);
  return { ok: true, fach: input.fach, frei };
}
