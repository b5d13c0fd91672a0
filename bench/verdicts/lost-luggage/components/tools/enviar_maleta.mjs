/** Envía una maleta hallada a una dirección. */
export const tool = {
  name: 'enviar_maleta',
  description: 'Envía una maleta hallada a una dirección de la ciudad o de la comarca.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['maleta', 'direccion', 'zona', 'franja'],
    properties: {
      maleta: { type: 'string' },
      direccion: { type: 'string' },
      zona: { type: 'string', enum: ['ciudad', 'comarca', 'lejos'] },
      franja: { type: 'string', enum: ['manana', 'tarde', 'noche'] },
    },
  },
  examples: [
    {
      input: { maleta: 'BCN-130', direccion: 'Carrer de Mallorca 210, Barcelona', zona: 'ciudad', franja: 'tarde' },
      world: 'septiembre.json',
    },
  ],
};

export function run(input, world) {
  const numero = input.maleta.trim().toUpperCase();
  const maleta = world.maletas[numero];
  if (world.sesion.pasajero === null) return { ok: false, error: 'nadie se ha identificado' };
  if (maleta === undefined || maleta.pasajero !== world.sesion.pasajero) {
    return { ok: false, error: 'el pasajero no tiene esa maleta' };
  }
  if (maleta.estado !== 'hallada') return { ok: false, error: 'la maleta no está hallada' };
  if (input.zona === 'lejos') return { ok: false, error: 'tan lejos no se envía' };
  const direccion = input.direccion.trim();
  if (direccion.length < 10 || direccion.length > 60)
    return { ok: false, error: 'la dirección no cabe en la etiqueta' };
  if (input.franja === 'noche' && input.zona !== 'ciudad') return { ok: false, error: 'de noche solo en la ciudad' };
  if (maleta.peso_kg > 32) return { ok: false, error: 'pesa demasiado para el reparto' };
  const oro = world.pasajeros[maleta.pasajero].tarjeta === 'oro';
  const porte = input.zona === 'comarca' && !oro ? 1500 : 0;
  maleta.estado = 'en_reparto';
  world.envios.push({ maleta: numero, direccion, franja: input.franja, porte_cent: porte });
  return { ok: true, maleta: numero, estado: maleta.estado, franja: input.franja, porte_cent: porte };
}
