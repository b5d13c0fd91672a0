/** Le contrôle vient avant tout le reste. */
export const checker = {
  id: 'controle-avant',
  description: 'Rien n’est lu ni changé avant le contrôle réussi ; après deux échecs rien n’est fait.',
  rules: ['R1', 'R9'],
};

const SENSIBLES = ['lire_compte', 'lire_inscription', 'encaisser', 'resilier', 'rembourser'];

export function check({ trace, after }) {
  let confirme = false;
  for (const { tool, output, step } of trace.calls) {
    if (tool === 'identifier' && output?.confirme === true) confirme = true;
    if (SENSIBLES.includes(tool) && !confirme) {
      return { pass: false, reason: `${tool} avant le contrôle`, evidence: [`étape ${step}`] };
    }
  }
  const note = after.notes.at(-1)?.resultat;
  const pass = confirme || note === 'non_identifie';
  return { pass, reason: confirme ? 'contrôlé avant' : `sans contrôle, note : ${note}`, evidence: [] };
}
