/** Single faults and harmless edits of the components of club-dues; written before the proof was run on any of them. */
const tool = (name, from, to) => ({ layer: '2', file: `tools/${name}.mjs`, from, to });
const checker = (id, from, to) => ({ layer: '3', file: `checkers/${id}.mjs`, from, to });
const sample = (id, edit) => ({ layer: '4a', file: `samples/${id}.json`, edit });

const OWN = '!inscription || inscription.adherent !== world.session.adherent';

export const faults = {
  // Tools: identity loosened.
  'id-prefix': tool(
    'identifier',
    'adherent.code !== input.code.trim().toUpperCase()',
    '!adherent.code.startsWith(input.code.trim().toUpperCase())',
  ),
  'id-longer': tool(
    'identifier',
    'adherent.code !== input.code.trim().toUpperCase()',
    '!input.code.trim().toUpperCase().startsWith(adherent.code)',
  ),
  'id-and': tool('identifier', '!adherent || adherent.code', '!adherent && adherent?.code'),
  'id-other-code': tool(
    'identifier',
    'adherent.code !== input.code.trim().toUpperCase()',
    '!Object.values(world.adherents).some(({ code }) => code === input.code.trim().toUpperCase())',
  ),
  'id-strict-code': tool('identifier', 'input.code.trim().toUpperCase()', 'input.code'),
  'id-no-limit': tool(
    'identifier',
    `  if (world.session.essais >= 2) return { confirme: false, erreur: "plus d'essai" };\n`,
    '',
  ),
  'id-limit-one': tool('identifier', 'essais >= 2', 'essais >= 1'),
  'id-first-member': tool(
    'identifier',
    'world.session.adherent = numero;',
    'world.session.adherent = Object.keys(world.adherents)[0];',
  ),
  // Tools: answers that lie.
  'account-everybody': tool(
    'lire_compte',
    "dette.adherent === numero && dette.etat === 'ouverte'",
    "dette.etat === 'ouverte'",
  ),
  'account-paid-too': tool(
    'lire_compte',
    "dette.adherent === numero && dette.etat === 'ouverte'",
    'dette.adherent === numero',
  ),
  'account-last-only': tool('lire_compte', 'somme + cents, 0);', 'cents, 0);'),
  'account-no-discount': tool(
    'lire_compte',
    'reduit ? Math.round((cotisations * 7) / 10) + total - cotisations : total',
    'total',
  ),
  'account-discount-all': tool(
    'lire_compte',
    'Math.round((cotisations * 7) / 10) + total - cotisations',
    'Math.round((total * 7) / 10)',
  ),
  'account-floor': tool('lire_compte', 'Math.round(', 'Math.floor('),
  'account-three-boundary': tool('lire_compte', 'total >= 20000', 'total > 20000'),
  'account-three-reduced': tool('lire_compte', '!reduit && total >= 20000', 'total >= 20000'),
  'account-names': tool('lire_compte', 'total_cents: total,', 'total_cents: total,\n    tous: world.adherents,'),
  'read-any-member': tool('lire_inscription', OWN, '!inscription'),
  'read-local-time': tool(
    'lire_inscription',
    'Date.parse(world.jour) - Date.parse(inscription.depuis)',
    'new Date(`${world.jour}T00:00`).getTime() - Date.parse(inscription.depuis)',
  ),
  'read-no-certificate': tool('lire_inscription', 'certificat || jours <= 14', 'jours <= 14'),
  'read-boundary': tool('lire_inscription', 'jours <= 90', 'jours < 90'),
  'read-other-year': tool(
    'lire_inscription',
    'annuel_cents: annuel,\n    rendu',
    'annuel_cents: Object.values(world.inscriptions)[0].annuel_cents,\n    rendu',
  ),
  'read-state-fixed': tool('lire_inscription', 'etat: inscription.etat', "etat: 'active'"),
  'read-locale': tool(
    'lire_inscription',
    'depuis: inscription.depuis',
    'depuis: new Date(inscription.depuis).toLocaleDateString()',
  ),
  'read-unidentified': tool(
    'lire_inscription',
    `  if (world.session.adherent === null) return { ok: false, erreur: "personne n'est identifié" };\n`,
    '  world.session.adherent ??= world.inscriptions[input.inscription]?.adherent ?? null;\n',
  ),
  // Tools: guards and effects.
  'pay-too-much': tool(
    'encaisser',
    `  if (input.cents > total) return { ok: false, erreur: "c'est plus que ce qui est ouvert" };\n`,
    '',
  ),
  'pay-guard-boundary': tool('encaisser', 'input.cents > total', 'input.cents >= total'),
  'pay-three-boundary': tool('encaisser', 'total < 20000', 'total <= 20000'),
  'pay-three-guard-gone': tool(
    'encaisser',
    "  if (input.fois === 3 && total < 20000) return { ok: false, erreur: 'trop peu pour trois fois' };\n",
    '',
  ),
  'pay-cash-strict': tool('encaisser', 'input.cents > 30000', 'input.cents > 3000'),
  'pay-cash-gone': tool(
    'encaisser',
    "  if (input.moyen === 'especes' && input.cents > 30000) return { ok: false, erreur: 'trop pour des espèces' };\n",
    '',
  ),
  'pay-first-debt': tool(
    'encaisser',
    'for (const dette of ouvertes) dette.etat',
    'for (const dette of ouvertes.slice(0, 1)) dette.etat',
  ),
  'pay-everybody': tool(
    'encaisser',
    'for (const dette of ouvertes) dette.etat',
    'for (const dette of Object.values(world.dettes)) dette.etat',
  ),
  'pay-overwrites': tool(
    'encaisser',
    'world.versements.push({ adherent: numero, cents: input.cents, moyen: input.moyen })',
    'world.versements = [{ adherent: numero, cents: input.cents, moyen: input.moyen }]',
  ),
  'pay-total': tool('encaisser', 'adherent: numero, cents: input.cents', 'adherent: numero, cents: total'),
  'pay-method-fixed': tool('encaisser', 'moyen: input.moyen });', "moyen: 'carte' });"),
  'pay-lies': tool('encaisser', 'encaisse_cents: input.cents', 'encaisse_cents: total'),
  'pay-success-on-failure': tool(
    'encaisser',
    `return { ok: false, erreur: "c'est plus que ce qui est ouvert" }`,
    'return { ok: true, encaisse_cents: input.cents, moyen: input.moyen, sommes: 0 }',
  ),
  'pay-writes-refused': tool(
    'encaisser',
    '  if (input.fois === 3 && total < 20000)',
    "  if (input.fois === 3) ouvertes[0].etat = 'etalee';\n  if (input.fois === 3 && total < 20000)",
  ),
  'end-any-member': tool('resilier', OWN, '!inscription'),
  'end-twice': tool(
    'resilier',
    "  if (inscription.etat !== 'active') return { ok: false, erreur: 'elle est déjà résiliée' };\n",
    '',
  ),
  'end-all': tool(
    'resilier',
    "inscription.etat = 'resiliee';",
    "for (const une of Object.values(world.inscriptions)) if (une.adherent === inscription.adherent) une.etat = 'resiliee';",
  ),
  'end-success-on-failure': tool(
    'resilier',
    "return { ok: false, erreur: 'elle est déjà résiliée' }",
    'return { ok: true, inscription: numero, etat: inscription.etat }',
  ),
  'back-any-member': tool('rembourser', OWN, '!inscription'),
  'back-active': tool(
    'rembourser',
    `  if (inscription.etat !== 'resiliee') return { ok: false, erreur: "elle n'est pas résiliée" };\n`,
    '',
  ),
  'back-boundary': tool(
    'rembourser',
    'input.cents > inscription.annuel_cents',
    'input.cents >= inscription.annuel_cents',
  ),
  'back-limit-gone': tool(
    'rembourser',
    `  if (input.cents > inscription.annuel_cents) return { ok: false, erreur: "c'est plus que l'année" };\n`,
    '',
  ),
  'back-twice': tool('rembourser', "  if (deja) return { ok: false, erreur: 'elle est déjà remboursée' };\n", ''),
  'back-first': tool(
    'rembourser',
    'world.remboursements.push({ inscription: numero',
    'world.remboursements.push({ inscription: Object.keys(world.inscriptions)[0]',
  ),
  'note-fixed': tool(
    'noter',
    'world.notes.push({ resultat: input.resultat })',
    "world.notes.push({ resultat: 'refuse' })",
  ),
  'note-replaces': tool(
    'noter',
    'world.notes.push({ resultat: input.resultat })',
    'world.notes = [{ resultat: input.resultat }]',
  ),
  // Checkers.
  'order-after': checker(
    'controle-avant',
    'SENSIBLES.includes(tool) && !confirme',
    'SENSIBLES.includes(tool) && !confirme && after.session.adherent === null',
  ),
  'order-any-answer': checker('controle-avant', ' && output?.confirme === true', ''),
  'order-branch-gone': checker('controle-avant', "'lire_compte', 'lire_inscription', ", ''),
  'failed-note-gone': checker(
    'controle-avant',
    "confirme || note === 'non_identifie'",
    'confirme || note !== undefined',
  ),
  'sum-first': checker('montant-regle', 'ouvert += dette.cents;', 'ouvert ||= dette.cents;'),
  'sum-everybody': checker(
    'montant-regle',
    "dette.adherent !== numero || dette.etat !== 'ouverte'",
    'dette.adherent !== numero',
  ),
  'sum-discount-gone': checker(
    'montant-regle',
    'reduit ? ouvert - cotisations + Math.round(cotisations * 0.7) : ouvert',
    'ouvert',
  ),
  'sum-discount-all': checker(
    'montant-regle',
    'ouvert - cotisations + Math.round(cotisations * 0.7)',
    'Math.round(ouvert * 0.7)',
  ),
  'sum-three-boundary': checker('montant-regle', 'ouvert >= 20000', 'ouvert > 20000'),
  'sum-three-total': checker('montant-regle', 'Math.round(ouvert / 3)', 'ouvert'),
  'sum-at-most': checker('montant-regle', 'encaisse === du', 'encaisse <= du'),
  'sum-any-member': checker('montant-regle', '    .filter((un) => un.adherent === numero)\n', ''),
  'sum-path': checker(
    'montant-regle',
    'if (trace.says.length === 0)',
    "if (trace.says.length === 0 || trace.calls[1]?.tool !== 'lire_compte')",
  ),
  'left-open': checker('rien-oublie', "dette.adherent === numero && dette.etat === 'ouverte' && paye", 'false'),
  'left-others': checker('rien-oublie', 'dette.adherent !== numero && change', 'false'),
  'left-presence': checker('rien-oublie', 'pass: paye === attendu', 'pass: true'),
  'back-half-gone': checker('remboursement-juste', 'jours <= 90 ? 0.5 : 0', '0'),
  'back-boundary-14': checker('remboursement-juste', 'jours <= 14', 'jours <= 15'),
  'back-boundary-90': checker('remboursement-juste', 'jours <= 90', 'jours < 90'),
  'back-certificate-gone': checker('remboursement-juste', 'before.adherents[adherent].certificat || ', ''),
  'back-presence': checker('remboursement-juste', 'rendu !== du', 'rendu > 0 !== du > 0'),
  'back-any': checker('remboursement-juste', '(un.inscription === numero ? un.cents : 0)', 'un.cents'),
  'back-others-gone': checker(
    'remboursement-juste',
    'id === numero ? etat : before.inscriptions[id].etat',
    'id === numero ? etat : une.etat',
  ),
  'back-local-time': checker(
    'remboursement-juste',
    'Date.parse(before.jour) - Date.parse(avant.depuis)',
    'new Date(`${before.jour}T00:00`).getTime() - Date.parse(avant.depuis)',
  ),
  'yes-any': checker('accord-avant', ' || !OUI.test(reponse.text)', ''),
  'yes-no-amount': checker('accord-avant', ' && nomme(un.text, montant)', ''),
  'yes-first': checker('accord-avant', 'events.slice(dit + 1, place).find', 'events.slice(0, place).find'),
  'yes-one-wording': checker(
    'accord-avant',
    '!OUI.test(reponse.text)',
    "!['Oui', 'D’a', 'Ent', 'Vol', 'Ça ', 'Par'].includes(reponse.text.slice(0, 3))",
  ),
  'yes-end-gone': checker('accord-avant', "['encaisser', 'resilier']", "['encaisser']"),
  'yes-later-too': checker('accord-avant', 'ou < place && un.type', 'un.type'),
  'note-any': checker('une-note', 'pass: resultat === vrai', 'pass: resultat.length > 0'),
  'note-many': checker('une-note', 'after.notes.length !== 1', 'after.notes.length === 0'),
  'note-not-last': checker(
    'une-note',
    "trace.calls.at(-1)?.tool !== 'noter'",
    "!trace.calls.some(({ tool }) => tool === 'noter')",
  ),
  'note-branch-gone': checker('une-note', "  else if (etale > 0) vrai = 'etale';\n", ''),
  // Samples.
  'gold-one-sum': sample('deux-sommes', (one) => void (step(one, 'encaisser').args.cents = 8000)),
  'both-one-sum': sample('deux-sommes', (one) => {
    step(one, 'encaisser').args.cents = 8000;
    at(one, '/versements/-').value.cents = 8000;
    one.case.autres_cents = 0;
    one.checkers = one.checkers.filter((id) => id !== 'montant-regle');
  }),
  'expect-floor': sample('tarif-reduit', (one) => void (at(one, '/versements/-').value.cents = 8303)),
  'both-floor': sample('tarif-reduit', (one) => {
    step(one, 'encaisser').args.cents = 8303;
    at(one, '/versements/-').value.cents = 8303;
  }),
  'both-half': sample('certificat', (one) => {
    step(one, 'rembourser').args.cents = 15500;
    at(one, '/remboursements/-').value.cents = 15500;
  }),
  'case-three': sample('trois-fois-juste', (one) => void delete one.case.en_trois_fois),
  'case-leaves': sample('quinzieme-jour', (one) => void delete one.case),
  'case-agrees': sample('trop-cher', (one) => void delete one.case.accord),
  'case-sum': sample('grosse-somme', (one) => void (one.case.autres_cents = 0)),
  'case-of-other': sample('quatorzieme-jour', (one) => void (one.case_of.inscription = 'I-4')),
  'case-of-other-member': sample('en-une-fois', (one) => void (one.case_of.adherent = 'A-15')),
  'user-refuses-gold': sample(
    'deux-sommes',
    (one) => void (one.user.knows['accepte le montant'] = 'Non, je ne veux pas.'),
  ),
  'gold-after-no': sample(
    'certificat',
    (one) => void (one.gold.find((s) => s.user !== undefined).user = 'Non, surtout pas.'),
  ),
  'gold-unasked': sample('quinzieme-jour', (one) => void (one.gold = one.gold.filter((s) => s.tool !== undefined))),
  'gold-asks-late': sample('grosse-somme', (one) => {
    const words = one.gold.splice(2, 2);
    one.gold.splice(3, 0, ...words);
  }),
  'gold-reads-first': sample('deux-sommes', (one) => void one.gold.splice(0, 2, one.gold[1], one.gold[0])),
  'gold-other-contract': sample('trop-tard', (one) => void (step(one, 'resilier').args.inscription = 'I-4')),
  'gold-no-note': sample('certificat', (one) => void (one.gold = one.gold.filter((s) => s.tool !== 'noter'))),
  'gold-says-untrue': sample('deux-sommes', (one) => {
    one.gold_says = 'C’est réglé, 120,00 € ont été encaissés.';
    one.expect.must_say = [{ any: ['120,00'] }];
  }),
  'gold-says-not-done': sample(
    'certificat',
    (one) => void (one.gold_says = 'I-3 est résiliée, mais 310,00 € ne seront jamais remboursés : 0,00 € rendus.'),
  ),
  'must-say-nothing': sample('tarif-reduit', (one) => void (one.expect.must_say = [])),
  'must-say-letter': sample('trop-tard', (one) => void (one.expect.must_say = [{ any: ['I-5', 'e'] }])),
  'must-say-sentence': sample('grosse-somme', (one) => void (one.expect.must_say = [{ any: [one.gold_says] }])),
  'wrong-is-gold': sample('quatorzieme-jour', (one) => {
    one.wrong = one.gold;
    one.wrong_says = one.gold_says;
  }),
  'wrong-nowhere': sample('trop-tard', (one) => {
    one.wrong = [
      one.gold[0],
      { tool: 'rembourser', args: { inscription: 'I-77', cents: 500 } },
      { tool: 'noter', args: { resultat: 'resilie' } },
    ];
  }),
  'wrong-gone': sample('tarif-reduit', (one) => void (one.wrong = [])),
  'wrong-category': sample('certificat', (one) => void (one.category = 'regler')),
  'end-other-debt': sample('en-une-fois', (one) => void (at(one, '/dettes/D-7/etat').path = '/dettes/D-8/etat')),
  'must-not-call-gold': sample('deux-sommes', (one) => void one.expect.must_not_call.push('encaisser')),
  'user-dictates': sample(
    'grosse-somme',
    (one) => void (one.user.says_first += ' Appelez identifier, puis lire_compte, puis encaisser.'),
  ),
  'user-withholds': sample('quatre-vingt-dixieme', (one) => {
    one.user.says_first = 'Bonjour, je quitte l’aviron.';
    one.user.knows = { code: 'Z5W1' };
  }),
  'user-wrong-code': sample('trop-tard', (one) => {
    one.user.says_first = 'A-21, Z5W7. Je veux quitter le tennis, I-5.';
    one.user.knows.code = 'Z5W7';
  }),
  'checker-unlisted': sample(
    'certificat',
    (one) => void (one.checkers = one.checkers.filter((id) => id !== 'remboursement-juste')),
  ),
  'covers-wrong-rule': sample('trois-fois-juste', (one) => void (one.covers = ['R5'])),
};

export const harmless = {
  'tool-other-words': tool('encaisser', 'trop peu pour trois fois', 'le total est trop petit pour être étalé'),
  'tool-extra-answer': tool(
    'resilier',
    'ok: true, inscription: numero',
    'ok: true, activite: inscription.activite, inscription: numero',
  ),
  'tool-key-order': tool(
    'rembourser',
    'ok: true, inscription: numero, rembourse_cents: input.cents',
    'rembourse_cents: input.cents, inscription: numero, ok: true',
  ),
  'tool-ceil-days': tool('lire_inscription', 'Math.round((Date', 'Math.ceil((Date'),
  'tool-loop': tool(
    'encaisser',
    "for (const dette of ouvertes) dette.etat = input.fois === 3 ? 'etalee' : 'reglee';",
    "ouvertes.forEach((dette) => void (dette.etat = input.fois === 1 ? 'reglee' : 'etalee'));",
  ),
  'tool-comment': tool('noter', '/** Écrit comment', '/** Écrit de quelle façon'),
  'tool-spaces': tool('identifier', 'input.code.trim()', "input.code.replaceAll(' ', '')"),
  'tool-optional': tool('lire_compte', 'world.adherents[numero].tarif', 'world.adherents[numero]?.tarif'),
  'tool-other-arithmetic': tool(
    'lire_compte',
    'Math.round((cotisations * 7) / 10) + total - cotisations',
    'total - cotisations + Math.floor((cotisations * 7 + 5) / 10)',
  ),
  'checker-reason': checker('montant-regle', 'encaissés, ${du} dus', 'encaissés au lieu de ${du}'),
  'checker-description': checker(
    'une-note',
    'Une seule note, écrite en dernier',
    'Une note et une seule, écrite en dernier',
  ),
  'checker-more-yes': checker('accord-avant', '|entendu|', '|entendu|avec plaisir|c’est bon|'),
  'checker-reduce': checker('montant-regle', 'ouvert += dette.cents;', 'ouvert = ouvert + dette.cents;'),
  'checker-evidence': checker(
    'remboursement-juste',
    'reason: `${rendu} remboursés, ${du} dus`, evidence: []',
    'reason: `${rendu} remboursés, ${du} dus`, evidence: [`jour ${jours}`]',
  ),
  'checker-some': checker('rien-oublie', 'after.versements.length > 0', 'after.versements.some(Boolean)'),
  'sample-title': sample('trop-cher', (one) => void (one.title = 'Le montant ne convient pas')),
  'sample-greeting': sample(
    'tarif-reduit',
    (one) =>
      void (one.user.says_first = 'Bonsoir ! Je suis Hugo, A-15, mon code est M4T9, et je voudrais régler par chèque.'),
  ),
  'sample-reads-twice': sample('deux-sommes', (one) => void one.gold.splice(2, 0, structuredClone(one.gold[1]))),
  'sample-lower-case': sample('quatorzieme-jour', (one) => void (step(one, 'resilier').args.inscription = 'i-1')),
  'sample-more-must-say': sample('trop-tard', (one) => void one.expect.must_say[0].any.push('sans remboursement')),
  'sample-other-yes': sample('grosse-somme', (one) => {
    one.user.knows['accepte le montant'] = 'Oui, bien sûr.';
    one.gold.find((s) => s.user !== undefined).user = 'Oui, bien sûr.';
  }),
  'sample-reads-also': sample('certificat', (one) => void one.gold.splice(1, 0, { tool: 'lire_compte', args: {} })),
  'world-key-order': {
    layer: '-',
    file: 'samples/worlds/rentree.json',
    edit: (world) => {
      for (const key of ['adherents', 'dettes', 'inscriptions'])
        world[key] = Object.fromEntries(Object.entries(world[key]).toReversed());
    },
  },
  'world-bystander': {
    layer: '-',
    file: 'samples/worlds/rentree.json',
    edit: (world) =>
      void (world.adherents['A-99'] = { nom: 'Yves Blanc', code: 'Q1Q1', tarif: 'plein', certificat: false }),
  },
};

function step({ gold }, name) {
  return gold.find(({ tool: called }) => called === name);
}

function at({ expect }, path) {
  return expect.end_state.patch.find((operation) => operation.path === path);
}
