/** Bucht einen freien Termin auf eine Überweisung. */
export const tool = {
  name: 'termin_buchen',
  description: 'Bucht einen freien Termin auf eine Überweisung.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['ueberweisung', 'termin'],
    properties: { ueberweisung: { type: 'string' }, termin: { type: 'string' } },
  },
  examples: [{ input: { ueberweisung: 'U-71', termin: 'T-1' }, world: 'freitag.json' }],
};

export function run(input, world) {
  if (world.sitzung.patient === null) return { ok: false, fehler: 'niemand hat sich ausgewiesen' };
  const schein = world.ueberweisungen[input.ueberweisung.trim().toUpperCase()];
  if (schein === undefined || schein.patient !== world.sitzung.patient) {
    return { ok: false, fehler: 'diese Überweisung gibt es nicht' };
  }
  const nummer = input.termin.trim().toUpperCase();
  const termin = world.termine[nummer];
  if (termin === undefined) return { ok: false, fehler: 'diesen Termin gibt es nicht' };
  if (termin.patient !== null) return { ok: false, fehler: 'dieser Termin ist vergeben' };
  if (schein.termin !== null) return { ok: false, fehler: 'auf diese Überweisung ist schon gebucht' };
  if (Date.parse(termin.beginn) <= Date.parse(world.jetzt)) return { ok: false, fehler: 'dieser Termin ist vorbei' };
  termin.patient = schein.patient;
  schein.termin = nummer;
  return { ok: true, termin: nummer, beginn: termin.beginn };
}
