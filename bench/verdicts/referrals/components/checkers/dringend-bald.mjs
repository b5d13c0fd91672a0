/** Dringende Überweisungen bekommen einen Termin innerhalb von 48 Stunden oder keinen. */
export const checker = {
  id: 'dringend-bald',
  description:
    'Ein auf eine dringende Überweisung gebuchter Termin beginnt innerhalb von 48 Stunden; ohne einen solchen wird weitergeleitet.',
  rules: ['R3'],
};

const STUNDE = 3600000;

export function check({ sample, before, after }) {
  const nummer = after.ueberweisungen[sample.case_of.ueberweisung].termin;
  if (nummer === null) {
    const weiter = after.vermerke.at(-1)?.ergebnis === 'weitergeleitet';
    const gab = Object.values(before.termine).some(
      (termin) =>
        termin.patient === null &&
        termin.fach === before.ueberweisungen[sample.case_of.ueberweisung].fach &&
        liegtDrin(termin, before),
    );
    return { pass: weiter && !gab, reason: gab ? 'es gab einen Platz' : 'nichts gebucht', evidence: [] };
  }
  const pass = liegtDrin(after.termine[nummer], before) && after.termine[nummer].patient === sample.case_of.patient;
  return { pass, reason: `${nummer} beginnt ${pass ? 'bald genug' : 'zu spät'}`, evidence: [] };
}

function liegtDrin({ beginn }, { jetzt }) {
  const stunden = (Date.parse(beginn) - Date.parse(jetzt)) / STUNDE;
  return stunden > 0 && stunden <= 48;
}
