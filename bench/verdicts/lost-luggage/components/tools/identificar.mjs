/** Compara número de pasajero y localizador. */
export const tool = {
  name: 'identificar',
  description: 'Compara número de pasajero y localizador, los dos dichos por el pasajero.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['pasajero', 'localizador'],
    properties: { pasajero: { type: 'string' }, localizador: { type: 'string' } },
  },
  examples: [
    { input: { pasajero: 'P-301', localizador: 'QX7T4L' }, world: 'septiembre.json' },
    { input: { pasajero: 'P-301', localizador: 'AAAAAA' }, world: 'septiembre.json' },
  ],
};

export function run(input, world) {
  if (world.sesion.intentos >= 2) return { confirmado: false, error: 'no quedan intentos' };
  world.sesion.intentos += 1;
  const numero = input.pasajero.trim().toUpperCase();
  const pasajero = world.pasajeros[numero];
  if (pasajero === undefined || pasajero.localizador !== input.localizador.trim().toUpperCase()) {
    return { confirmado: false, intentos: world.sesion.intentos };
  }
  world.sesion.pasajero = numero;
  return { confirmado: true, nombre: pasajero.nombre, tarjeta: pasajero.tarjeta };
}
