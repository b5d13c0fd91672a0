/** Una nota, al final, y cierta. */
export const checker = {
  id: 'una-nota',
  description: 'Hay una sola nota, es la última llamada y dice lo que se ha hecho.',
  rules: ['R11'],
};

export function check({ sample, before, after, trace }) {
  if (after.notas.length !== 1) return { pass: false, reason: `${after.notas.length} notas`, evidence: [] };
  if (trace.calls.at(-1)?.tool !== 'anotar') return { pass: false, reason: 'no es lo último', evidence: [] };
  const nuevos = after.pagos.slice(before.pagos.length);
  let cierto = sample.case?.acepta === false ? 'renuncia' : 'rechazado';
  if (after.sesion.pasajero === null) cierto = 'sin_identificar';
  else if (nuevos.some(({ clase }) => clase === 'perdida')) cierto = 'indemnizado';
  else if (nuevos.length > 0) cierto = 'abonado';
  else if (after.envios.length > before.envios.length) cierto = 'enviado';
  const { resultado } = after.notas[0];
  return { pass: resultado === cierto, reason: `nota ${resultado}, lo cierto es ${cierto}`, evidence: [] };
}
