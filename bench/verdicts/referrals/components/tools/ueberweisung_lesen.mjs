/** Liest eine Überweisung des Patienten, der sich ausgewiesen hat. */
export const tool = {
  name: 'ueberweisung_lesen',
  description: 'Liest eine Überweisung: Fach, Alter in Tagen, ob sie gilt, ob sie dringend ist.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['ueberweisung'],
    properties: { ueberweisung: { type: 'string' } },
  },
  examples: [{ input: { ueberweisung: 'U-71' }, world: 'freitag.json' }],
};

const TAG = 86400000;

export function run(input, world) {
  if (world.sitzung.patient === null) return { ok: false, fehler: 'niemand hat sich ausgewiesen' };
  const nummer = input.ueberweisung.trim().toUpperCase();
  const schein = world.ueberweisungen[nummer];
  if (schein === undefined || schein.patient !== world.sitzung.patient) {
    return { ok: false, fehler: 'diese Überweisung gibt es nicht' };
  }
  const alter = Math.round((Date.parse(world.heute) - Date.parse(schein.ausgestellt)) / TAG);
  return {
    ok: true,
    fach: schein.fach,
    ausgestellt: schein.ausgestellt,
    alter_in_tagen: alter,
    gilt: alter <= 90,
    dringend: schein.dringend,
    termin: schein.termin,
  };
}
