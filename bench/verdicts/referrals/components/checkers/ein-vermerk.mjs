/** Ein Vermerk am Ende, und ein wahrer. */
export const checker = {
  id: 'ein-vermerk',
  description: 'Am Ende steht genau ein Vermerk, und er sagt, was geschehen ist.',
  rules: ['R8'],
};

export function check({ sample, before, after, trace }) {
  if (after.vermerke.length !== 1) return { pass: false, reason: `${after.vermerke.length} Vermerke`, evidence: [] };
  if (trace.calls.at(-1)?.tool !== 'vermerken') return { pass: false, reason: 'danach kam noch etwas', evidence: [] };
  const { ergebnis } = after.vermerke[0];
  const wurde = Object.keys(before.termine).map((nummer) => [
    before.termine[nummer].patient,
    after.termine[nummer].patient,
  ]);
  const gebucht = wurde.some(([vorher, nachher]) => vorher === null && nachher !== null);
  const abgesagt = wurde.some(([vorher, nachher]) => vorher !== null && nachher === null);
  const richtig = gebucht
    ? ['gebucht']
    : abgesagt
      ? ['abgesagt']
      : after.sitzung.patient === null
        ? ['nicht_ausgewiesen']
        : sample.case?.anliegen === 'absagen'
          ? ['behalten', 'abgelehnt']
          : ['abgelehnt', 'weitergeleitet'];
  return { pass: richtig.includes(ergebnis), reason: `vermerkt ist ${ergebnis}`, evidence: [] };
}
