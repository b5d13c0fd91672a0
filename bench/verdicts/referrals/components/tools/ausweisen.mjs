/** Vergleicht Patientennummer und Geburtsdatum, beide vom Patienten genannt. */
export const tool = {
  name: 'ausweisen',
  description: 'Vergleicht Patientennummer und Geburtsdatum (JJJJ-MM-TT).',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['patient', 'geburtsdatum'],
    properties: { patient: { type: 'string' }, geburtsdatum: { type: 'string' } },
  },
  examples: [
    { input: { patient: 'P-401', geburtsdatum: '1961-08-04' }, world: 'freitag.json' },
    { input: { patient: 'P-401', geburtsdatum: '1961-08-05' }, world: 'freitag.json' },
  ],
};

export function run(input, world) {
  const nummer = input.patient.trim().toUpperCase();
  const patient = world.patienten[nummer];
  if (world.sitzung.versuche >= 2) return { bestaetigt: false, fehler: 'keine Versuche mehr' };
  world.sitzung.versuche += 1;
  if (patient === undefined || patient.geburtsdatum !== input.geburtsdatum.trim()) {
    return { bestaetigt: false, versuche: world.sitzung.versuche };
  }
  world.sitzung.patient = nummer;
  return { bestaetigt: true, name: patient.name };
}
