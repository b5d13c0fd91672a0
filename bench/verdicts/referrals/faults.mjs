/** Single faults and harmless edits of the components of referrals; written before the proof was run on any of them. */
const tool = (name, from, to) => ({ layer: '2', file: `tools/${name}.mjs`, from, to });
const checker = (id, from, to) => ({ layer: '3', file: `checkers/${id}.mjs`, from, to });
const sample = (id, edit) => ({ layer: '4a', file: `samples/${id}.json`, edit });

const OWN_FORM = 'schein === undefined || schein.patient !== world.sitzung.patient';
const OWN_VISIT = 'termin === undefined || termin.patient !== world.sitzung.patient';
const NOBODY = "  if (world.sitzung.patient === null) return { ok: false, fehler: 'niemand hat sich ausgewiesen' };\n";
const OVER =
  "  if (Date.parse(termin.beginn) <= Date.parse(world.jetzt)) return { ok: false, fehler: 'dieser Termin ist vorbei' };\n";

export const faults = {
  // Tools: identity loosened.
  'ausweis-prefix': tool(
    'ausweisen',
    'patient.geburtsdatum !== input.geburtsdatum.trim()',
    '!patient.geburtsdatum.startsWith(input.geburtsdatum.trim())',
  ),
  'ausweis-year': tool(
    'ausweisen',
    'patient.geburtsdatum !== input.geburtsdatum.trim()',
    'patient.geburtsdatum.slice(0, 4) !== input.geburtsdatum.trim().slice(0, 4)',
  ),
  'ausweis-or': tool(
    'ausweisen',
    'patient === undefined || patient.geburtsdatum',
    'patient === undefined && patient?.geburtsdatum',
  ),
  'ausweis-anybody': tool(
    'ausweisen',
    'patient.geburtsdatum !== input.geburtsdatum.trim()',
    '!Object.values(world.patienten).some(({ geburtsdatum }) => geburtsdatum === input.geburtsdatum.trim())',
  ),
  'ausweis-no-limit': tool(
    'ausweisen',
    "  if (world.sitzung.versuche >= 2) return { bestaetigt: false, fehler: 'keine Versuche mehr' };\n",
    '',
  ),
  'ausweis-strict-case': tool('ausweisen', 'input.patient.trim().toUpperCase()', 'input.patient'),
  'ausweis-no-count': tool('ausweisen', '  world.sitzung.versuche += 1;\n', ''),
  // Tools: answers that lie while the world stays right.
  'form-age-local': tool(
    'ueberweisung_lesen',
    'Date.parse(world.heute) - Date.parse(schein.ausgestellt)',
    'new Date(`${world.heute}T00:00`).getTime() - Date.parse(schein.ausgestellt)',
  ),
  'form-valid-always': tool('ueberweisung_lesen', 'gilt: alter <= 90', 'gilt: true'),
  'form-valid-boundary': tool('ueberweisung_lesen', 'gilt: alter <= 90', 'gilt: alter < 90'),
  'form-urgent-fixed': tool('ueberweisung_lesen', 'dringend: schein.dringend', 'dringend: false'),
  'form-other-field': tool(
    'ueberweisung_lesen',
    'fach: schein.fach',
    'fach: Object.values(world.ueberweisungen)[0].fach',
  ),
  'form-whole-list': tool(
    'ueberweisung_lesen',
    'termin: schein.termin,',
    'termin: schein.termin,\n    alle: world.ueberweisungen,',
  ),
  'form-any-patient': tool('ueberweisung_lesen', OWN_FORM, 'schein === undefined'),
  'form-nobody': tool(
    'ueberweisung_lesen',
    NOBODY,
    '  world.sitzung.patient ??= world.ueberweisungen[input.ueberweisung]?.patient ?? null;\n',
  ),
  'slots-filter-forgotten': tool(
    'termine_suchen',
    'termin.fach === input.fach && termin.patient === null',
    'termin.fach === input.fach',
  ),
  'slots-every-field': tool('termine_suchen', 'termin.fach === input.fach && ', ''),
  'slots-past-too': tool('termine_suchen', '    .filter(({ in_minuten }) => in_minuten > 0)\n', ''),
  'slots-wall-clock': tool(
    'termine_suchen',
    'Date.parse(beginn) - Date.parse(world.jetzt)',
    'Date.parse(beginn.slice(0, 16)) - Date.parse(world.jetzt.slice(0, 16))',
  ),
  'slots-hours-as-minutes': tool('termine_suchen', '/ 60000)', '/ 3600000)'),
  'slots-whole-record': tool(
    'termine_suchen',
    'termin: nummer,\n      beginn,',
    'termin: nummer,\n      beginn,\n      patienten: Object.keys(world.patienten),',
  ),
  'visit-fee-no-attest': tool('termin_lesen', 'tage <= 1 && !attest', 'tage <= 1'),
  'visit-fee-boundary': tool('termin_lesen', 'tage <= 1 && !attest', 'tage < 1 && !attest'),
  'visit-fee-amount': tool('termin_lesen', '? 2500 : 0', '? 3000 : 0'),
  'visit-days-local': tool(
    'termin_lesen',
    'Date.parse(termin.tag) - Date.parse(world.heute)',
    'new Date(`${termin.tag}T00:00`).getTime() - Date.parse(world.heute)',
  ),
  'visit-other-attest': tool(
    'termin_lesen',
    'const { attest } = world.patienten[termin.patient];',
    'const { attest } = Object.values(world.patienten)[0];',
  ),
  'visit-any-patient': tool('termin_lesen', OWN_VISIT, 'termin === undefined'),
  // Tools: guards and effects.
  'book-taken': tool(
    'termin_buchen',
    "  if (termin.patient !== null) return { ok: false, fehler: 'dieser Termin ist vergeben' };\n",
    '',
  ),
  'book-twice': tool(
    'termin_buchen',
    "  if (schein.termin !== null) return { ok: false, fehler: 'auf diese Überweisung ist schon gebucht' };\n",
    '',
  ),
  'book-past': tool('termin_buchen', OVER, ''),
  'book-success-on-failure': tool(
    'termin_buchen',
    "return { ok: false, fehler: 'dieser Termin ist vergeben' }",
    'return { ok: true, termin: nummer, beginn: termin.beginn }',
  ),
  'book-half': tool('termin_buchen', '  schein.termin = nummer;\n', ''),
  'book-first-slot': tool(
    'termin_buchen',
    '  termin.patient = schein.patient;',
    '  Object.values(world.termine)[0].patient = schein.patient;',
  ),
  'book-lies': tool(
    'termin_buchen',
    'ok: true, termin: nummer, beginn: termin.beginn',
    "ok: true, termin: nummer, beginn: '2026-03-30T08:00:00+02:00'",
  ),
  'book-writes-refused': tool(
    'termin_buchen',
    '  if (termin.patient !== null) return',
    '  schein.termin ??= nummer;\n  if (termin.patient !== null) return',
  ),
  'book-any-form': tool('termin_buchen', OWN_FORM, 'schein === undefined'),
  'cancel-any-patient': tool('termin_absagen', OWN_VISIT, 'termin === undefined'),
  'cancel-keeps-form': tool(
    'termin_absagen',
    'if (schein.termin === nummer) schein.termin = null;',
    'if (schein.termin === input.ueberweisung) schein.termin = null;',
  ),
  'cancel-all-forms': tool('termin_absagen', 'if (schein.termin === nummer) ', ''),
  'cancel-past': tool('termin_absagen', OVER, ''),
  'cancel-empty-success': tool('termin_absagen', '  termin.patient = null;\n', ''),
  'fee-overwrites': tool(
    'gebuehr_buchen',
    'world.gebuehren.push({ termin: nummer, cent: input.cent })',
    'world.gebuehren = [{ termin: nummer, cent: input.cent }]',
  ),
  'fee-fixed': tool(
    'gebuehr_buchen',
    'world.gebuehren.push({ termin: nummer, cent: input.cent })',
    'world.gebuehren.push({ termin: nummer, cent: 2500 })',
  ),
  'fee-strict': tool('gebuehr_buchen', 'input.cent > 10000', 'input.cent > 2499'),
  'fee-no-limit': tool(
    'gebuehr_buchen',
    "  if (input.cent > 10000) return { ok: false, fehler: 'so hoch ist keine Gebühr' };\n",
    '',
  ),
  'fee-twice': tool(
    'gebuehr_buchen',
    "  if (world.gebuehren.some(({ termin }) => termin === nummer)) return { ok: false, fehler: 'sie ist schon gebucht' };\n",
    '',
  ),
  'fee-lies': tool('gebuehr_buchen', 'gebucht_cent: input.cent', 'gebucht_cent: input.cent / 100'),
  // Checkers.
  'order-forgotten': checker('erst-ausweisen', ' || platz < bestaetigt)', ')'),
  'order-last': checker('erst-ausweisen', 'trace.calls.findIndex(', 'trace.calls.findLastIndex('),
  'order-success-forgotten': checker('erst-ausweisen', ' && output?.bestaetigt === true', ''),
  'order-branch-gone': checker('erst-ausweisen', '!FREI.includes(tool) &&', "tool === 'termin_buchen' &&"),
  'failed-note-gone': checker('erst-ausweisen', 'bestaetigt < 0 && after', 'false && after'),
  'age-boundary': checker('gueltig-gebucht', 'alter <= 90', 'alter < 90'),
  'age-limit': checker('gueltig-gebucht', 'alter <= 90', 'alter <= 100'),
  'age-one-side': checker('gueltig-gebucht', 'pass: hat === soll', 'pass: !hat || soll'),
  'urgent-wall-clock': checker(
    'dringend-bald',
    'Date.parse(beginn) - Date.parse(jetzt)',
    'Date.parse(beginn.slice(0, 16)) - Date.parse(jetzt.slice(0, 16))',
  ),
  'urgent-boundary': checker('dringend-bald', 'stunden <= 48', 'stunden <= 72'),
  'urgent-none-ok': checker('dringend-bald', 'pass: weiter && !gab', 'pass: true'),
  'cancel-fee-boundary': checker('absage-gebuehr', 'tage <= 1', 'tage < 1'),
  'cancel-fee-wide': checker('absage-gebuehr', 'tage <= 1', 'tage <= 2'),
  'cancel-fee-attest-gone': checker('absage-gebuehr', ' && !before.patienten[termin.patient].attest', ''),
  'cancel-fee-presence': checker('absage-gebuehr', 'pass: ist === soll', 'pass: ist > 0 === soll > 0'),
  'cancel-fee-at-most': checker('absage-gebuehr', 'pass: ist === soll', 'pass: ist <= soll'),
  'cancel-fee-path': checker(
    'absage-gebuehr',
    'if (trace.says.length === 0)',
    "if (trace.says.length === 0 || trace.calls.filter(({ tool }) => tool === 'termin_lesen').length !== 1)",
  ),
  'agreed-any-answer': checker('zugestimmt', ' || !JA.test(antwort.text)', ''),
  'agreed-anywhere': checker('zugestimmt', '!JA.test(antwort.text)', '!/ja|ordnung|gut/i.test(antwort.text)'),
  'agreed-no-amount': checker('zugestimmt', ' && nennt(eins.text, event.input.cent)', ''),
  'agreed-first-message': checker('zugestimmt', 'stelle > gefragt && stelle < platz', 'stelle < platz'),
  'agreed-one-wording': checker(
    'zugestimmt',
    '!JA.test(antwort.text)',
    "!['Ja, einverstanden.', 'In Ordnung, machen Sie das.', 'Ja, bitte.', 'Ja, gut.'].includes(antwort.text)",
  ),
  'agreed-order-gone': checker('zugestimmt', "stelle < platz && eins.type === 'says'", "eins.type === 'says'"),
  'agreed-no-ignored': checker('zugestimmt', 'pass: abgesagt === soll', 'pass: abgesagt || !soll'),
  'field-any': checker('fach-passt', 'after.termine[termin].fach === fach', 'after.termine[termin].fach !== undefined'),
  'field-world-first': checker(
    'fach-passt',
    'after.ueberweisungen[sample.case_of.ueberweisung]',
    'Object.values(after.ueberweisungen)[0]',
  ),
  'note-any': checker('ein-vermerk', 'pass: richtig.includes(ergebnis)', "pass: ergebnis !== ''"),
  'note-many': checker('ein-vermerk', 'after.vermerke.length !== 1', 'after.vermerke.length < 1'),
  'note-not-last': checker('ein-vermerk', "trace.calls.at(-1)?.tool !== 'vermerken'", 'false'),
  'note-branch-gone': checker('ein-vermerk', "? ['abgesagt']", "? ['abgesagt', 'behalten', 'gebucht']"),
  // Samples.
  'gold-wrong-slot': sample('dringend-sonntag', (one) => void (step(one, 'termin_buchen').args.termin = 'T-4')),
  'both-wrong-slot': sample('dringend-sonntag', (one) => {
    step(one, 'termin_buchen').args.termin = 'T-4';
    at(one, '/termine/T-3/patient').path = '/termine/T-4/patient';
    at(one, '/ueberweisungen/U-74/termin').value = 'T-4';
  }),
  'both-fee-doubled': sample('absage-vortag', (one) => {
    step(one, 'gebuehr_buchen').args.cent = 5000;
    at(one, '/gebuehren/-').value.cent = 5000;
    one.checkers = one.checkers.filter((id) => id !== 'absage-gebuehr');
  }),
  'expect-other-fee': sample('absage-heute', (one) => void (at(one, '/gebuehren/-').value.cent = 2000)),
  'gold-books-old': sample('zu-alt', (one) => {
    one.gold = one.wrong;
    one.expect = { end_state: 'any', must_say: one.expect.must_say, must_not_call: [] };
    one.wrong = [];
  }),
  'gold-refuses-valid': sample('neunzigster-tag', (one) => {
    one.gold = one.wrong;
    one.gold_says = one.wrong_says;
    one.expect.end_state = 'any';
    one.wrong = [];
  }),
  'case-forgotten': sample('absage-drei-tage', (one) => void delete one.case),
  'case-agrees': sample('absage-zu-teuer', (one) => void delete one.case.stimmt_zu),
  'case-place': sample('dringend-kein-platz', (one) => void delete one.case),
  'case-of-other-form': sample('herz-gebucht', (one) => void (one.case_of.ueberweisung = 'U-72')),
  'case-of-other-visit': sample('absage-attest', (one) => void (one.case_of.termin = 'T-11')),
  'user-refuses-gold': sample(
    'absage-vortag',
    (one) => void (one.user.knows['stimmt der Gebühr zu'] = 'Nein, das will ich nicht.'),
  ),
  'user-agrees-to-no': sample(
    'absage-zu-teuer',
    (one) => void (one.user.knows['stimmt der Gebühr zu'] = 'Ja, einverstanden.'),
  ),
  'gold-unasked': sample('absage-heute', (one) => void (one.gold = one.gold.filter((s) => s.tool !== undefined))),
  'gold-after-no': sample(
    'absage-heute',
    (one) => void (one.gold.find((s) => s.user !== undefined).user = 'Nein, auf keinen Fall.'),
  ),
  'gold-forgets-note': sample(
    'herz-gebucht',
    (one) => void (one.gold = one.gold.filter((s) => s.tool !== 'vermerken')),
  ),
  'gold-says-untrue': sample(
    'absage-attest',
    (one) => void (one.gold_says = 'T-12 ist abgesagt; 40,00 Euro wurden berechnet, mit Attest kostet das nichts.'),
  ),
  'gold-says-other-day': sample('herz-gebucht', (one) => {
    one.gold_says = 'Ihr Termin ist am 02.04.2026 um 11:00 Uhr.';
    one.expect.must_say = [{ any: ['02.04.'] }];
  }),
  'must-say-nothing': sample('absage-drei-tage', (one) => void (one.expect.must_say = [])),
  'must-say-empty-words': sample('zu-alt', (one) => void (one.expect.must_say = [{ any: ['e'] }])),
  'must-say-whole-sentence': sample('absage-attest', (one) => void (one.expect.must_say = [{ any: [one.gold_says] }])),
  'wrong-is-gold': sample('absage-zwei-tage', (one) => void (one.wrong = one.gold)),
  'wrong-nowhere': sample('absage-heute', (one) => {
    one.wrong = [
      one.gold[0],
      { tool: 'termin_absagen', args: { termin: 'T-99' } },
      { tool: 'vermerken', args: { ergebnis: 'abgelehnt' } },
    ];
  }),
  'wrong-gone': sample('neunzigster-tag', (one) => void (one.wrong = [])),
  'wrong-category': sample('absage-attest', (one) => void (one.category = 'buchen')),
  'end-other-slot': sample(
    'absage-vortag',
    (one) => void (at(one, '/termine/T-11/patient').path = '/termine/T-12/patient'),
  ),
  'user-dictates': sample(
    'herz-gebucht',
    (one) =>
      void (one.user.says_first += ' Rufen Sie ausweisen, ueberweisung_lesen, termine_suchen und termin_buchen auf.'),
  ),
  'user-withholds': sample('neunzigster-tag', (one) => {
    one.user.says_first = 'Guten Tag, gilt meine Überweisung noch? Ich bin Frau Marx.';
    one.user.knows = { Geburtsdatum: '1961-08-04' };
  }),
  'covers-wrong-rule': sample('dringend-sonntag', (one) => void (one.covers = ['R5'])),
  'identity-of-other': sample(
    'absage-drei-tage',
    (one) => void (one.user.says_first = 'P-402, geboren 1988-11-19. Bitte sagen Sie T-10 ab.'),
  ),
};

export const harmless = {
  'tool-other-words': tool('termin_buchen', 'dieser Termin ist vergeben', 'den hat schon jemand'),
  'tool-extra-answer': tool(
    'termin_buchen',
    'ok: true, termin: nummer,',
    'ok: true, fach: termin.fach, termin: nummer,',
  ),
  'tool-key-order': tool('termin_absagen', 'ok: true, abgesagt: nummer', 'abgesagt: nummer, ok: true'),
  'tool-floor': tool('ueberweisung_lesen', 'Math.round(', 'Math.floor('),
  'tool-comment': tool('ausweisen', '/** Vergleicht', '/** Hält gegeneinander:'),
  'tool-more-spaces': tool('ausweisen', 'input.geburtsdatum.trim()', "input.geburtsdatum.replaceAll(' ', '')"),
  'tool-utc-offset': tool(
    'termin_lesen',
    'Date.parse(termin.tag) - Date.parse(world.heute)',
    'Date.parse(`${termin.tag}T00:00Z`) - Date.parse(`${world.heute}T00:00Z`)',
  ),
  'tool-other-guard-order': tool('gebuehr_buchen', 'world.termine[nummer] === undefined', '!(nummer in world.termine)'),
  'tool-loop': tool(
    'termine_suchen',
    '.sort((eins, zwei) => eins.in_minuten - zwei.in_minuten)',
    '.toSorted((eins, zwei) => eins.in_minuten - zwei.in_minuten)',
  ),
  'checker-reason': checker('absage-gebuehr', 'Cent gebucht, ${soll} wären richtig', 'Cent statt ${soll} Cent'),
  'checker-description': checker('fach-passt', 'Ein gebuchter Termin gehört', 'Der gebuchte Termin gehört'),
  'checker-more-yes': checker('zugestimmt', '|natürlich|', '|natürlich|passt|sehr gern|'),
  'checker-includes': checker('ein-vermerk', 'richtig.includes(ergebnis)', 'richtig.some((eins) => eins === ergebnis)'),
  'checker-minutes': checker(
    'dringend-bald',
    'stunden > 0 && stunden <= 48',
    'stunden * 60 > 0 && stunden * 60 <= 2880',
  ),
  'checker-evidence': checker('gueltig-gebucht', 'evidence: []', 'evidence: [schein.ausgestellt]'),
  'sample-title': sample('zu-alt', (one) => void (one.title = 'Abgelaufen seit gestern')),
  'sample-greeting': sample(
    'absage-vortag',
    (one) =>
      void (one.user.says_first = 'Guten Abend, Marx hier, P-401, Geburtstag 1961-08-04. T-11 geht leider nicht.'),
  ),
  'sample-reads-twice': sample('absage-heute', (one) => void one.gold.splice(2, 0, structuredClone(one.gold[1]))),
  'sample-lower-case': sample('herz-gebucht', (one) => void (step(one, 'termin_buchen').args.ueberweisung = 'u-71')),
  'sample-more-must-say': sample('dringend-kein-platz', (one) => void one.expect.must_say[0].any.push('nichts frei')),
  'sample-other-yes': sample('absage-vortag', (one) => {
    one.user.knows['stimmt der Gebühr zu'] = 'Gut, machen Sie das.';
    one.gold.find((s) => s.user !== undefined).user = 'Gut, machen Sie das.';
  }),
  'sample-fee-first': sample('absage-heute', (one) => {
    const place = one.gold.findIndex((s) => s.tool === 'gebuehr_buchen');
    const [fee] = one.gold.splice(place, 1);
    one.gold.splice(place - 1, 0, fee);
  }),
  'world-key-order': {
    layer: '-',
    file: 'samples/worlds/freitag.json',
    edit: (world) => {
      for (const key of ['patienten', 'termine', 'ueberweisungen'])
        world[key] = Object.fromEntries(Object.entries(world[key]).toReversed());
    },
  },
  'world-bystander': {
    layer: '-',
    file: 'samples/worlds/freitag.json',
    edit: (world) => void (world.patienten['P-499'] = { name: 'Vera Lutz', geburtsdatum: '2001-02-03', attest: false }),
  },
};

function step({ gold }, name) {
  return gold.find(({ tool: called }) => called === name);
}

function at({ expect }, path) {
  return expect.end_state.patch.find((operation) => operation.path === path);
}
