/** Faults of tools, written down before the proof was run on any of them. */
import { tool } from './edits.mjs';

const login = tool('legitimera.mjs');
const read = tool('las_arbete.mjs');
const list = tool('lista_arbeten.mjs');
const approve = tool('godkann_offert.mjs');
const handOut = tool('lamna_ut.py');
const lend = tool('lana_ut.mjs');
const note = tool('anteckna.mjs');

const OWN = 'arbete === undefined || arbete.kund !== kund';
const CODE = 'kund === undefined || kund.kod !== input.kod.trim()';

export const toolFaults = {
  // Output that is not so, while the world stays right.
  'read-total-without-advance': read('untrue answer', 'answer', 'pris - arbete.forskott_ore + lager', 'pris + lager'),
  'read-total-without-storage': read(
    'untrue answer',
    'answer',
    'pris - arbete.forskott_ore + lager',
    'pris - arbete.forskott_ore',
  ),
  'read-discount-on-parts': read(
    'wrong number',
    'answer',
    'delar + (65000 * timmar * (elev ? 8 : 10)) / 10',
    '((delar + 65000 * timmar) * (elev ? 8 : 10)) / 10',
  ),
  'read-no-discount': read('wrong number', 'answer', '(elev ? 8 : 10)', '10'),
  'read-guarantee-179': read('boundary', 'answer', '<= 180', '< 180'),
  'read-valid-to-31': read('wrong date', 'answer', '+ 30 * DYGN', '+ 31 * DYGN'),
  'read-storage-no-cap': read(
    'wrong number',
    'answer',
    'Math.min(Math.max(2500 * (dagarKlart - 14), 0), 60000)',
    'Math.max(2500 * (dagarKlart - 14), 0)',
  ),
  'read-storage-from-day-14': read('boundary', 'answer', '(dagarKlart - 14)', '(dagarKlart - 13)'),
  'read-loans-of-all-kinds': read(
    'filter forgotten',
    'answer',
    'world.laneinstrument[id].slag === arbete.slag && ',
    '',
  ),
  'read-loans-not-free': read('filter forgotten', 'answer', ' && world.laneinstrument[id].ledigt', ''),
  'list-everybody': list("everybody's records", 'answer', 'ett.kund === kund', 'ett.kund !== null'),
  'list-filter-forgotten': list(
    'filter forgotten',
    'answer',
    'input.status === undefined || ett.status === input.status',
    'true',
  ),
  'list-ready-date-of-offer': list('another field', 'answer', '      klart_den,\n', '      klart_den: offert_den,\n'),
  'approve-answers-full-price': approve(
    'untrue answer',
    'answer',
    'pris_ore: arbete.pris_ore };',
    'pris_ore: arbete.delar_ore + 65000 * arbete.timmar };',
  ),
  // Time zone of the process.
  'read-local-dates': read(
    'time zone',
    'answer',
    'Math.round((Date.parse(till) - Date.parse(fran)) / DYGN)',
    'Math.floor((new Date(`${till}T00:00`).getTime() - Date.parse(fran)) / DYGN)',
  ),
  'approve-local-dates': approve(
    'time zone',
    'verdict',
    'Math.round((Date.parse(world.idag) - Date.parse(arbete.offert_den)) / DYGN)',
    'Math.ceil((new Date(`${world.idag}T00:00`).getTime() - Date.parse(arbete.offert_den)) / DYGN)',
  ),
  // Identity.
  'login-code-prefix': login(
    'identity loose',
    'other',
    CODE,
    'kund === undefined || !kund.kod.startsWith(input.kod.trim())',
  ),
  'login-and-for-or': login('identity loose', 'verdict', CODE, 'kund === undefined && kund.kod !== input.kod.trim()'),
  'login-any-code-of-anybody': login(
    'identity loose',
    'other',
    CODE,
    'kund === undefined || !Object.values(world.kunder).some((en) => en.kod === input.kod.trim())',
  ),
  'login-empty-code': login(
    'identity loose',
    'other',
    CODE,
    "kund === undefined || (input.kod.trim() !== '' && kund.kod !== input.kod.trim())",
  ),
  'login-failure-logs-in': login(
    'success on failure',
    'verdict',
    'return { bekraftad: false, forsok: session.forsok };',
    'return { bekraftad: true, forsok: session.forsok };',
  ),
  'login-third-try': login('boundary', 'other', 'session.forsok >= 2', 'session.forsok > 2'),
  // Guards.
  'approve-of-another': approve('guard removed', 'other', OWN, 'arbete === undefined'),
  'approve-already-approved': approve(
    'guard removed',
    'other',
    "arbete.status !== 'offert'",
    "arbete.status === 'hamtat'",
  ),
  'approve-day-31': approve('boundary', 'verdict', 'alder > 30', 'alder > 31'),
  'approve-full-price-refused': approve('boundary', 'verdict', 'input.pris_ore > arbete', 'input.pris_ore >= arbete'),
  'approve-no-ceiling': approve(
    'guard reached by no sample',
    'other',
    'input.pris_ore > arbete.delar_ore + 65000 * arbete.timmar',
    'false',
  ),
  'approve-success-without-write': approve(
    'success on failure',
    'verdict',
    "if (alder > 30) return { ok: false, error: 'offerten gäller inte längre' };",
    'if (alder > 30) return { ok: true };',
  ),
  'approve-refusal-writes': approve(
    'refusal writes',
    'verdict',
    'if (alder > 30) return',
    "if (alder > 30) arbete.status = 'pagar';\n  if (alder > 30) return",
  ),
  'approve-overwrites': approve(
    'overwrites',
    'verdict',
    'world.godkannanden.push({ arbete: nummer, ore: input.pris_ore })',
    'world.godkannanden = [{ arbete: nummer, ore: input.pris_ore }]',
  ),
  'approve-keeps-old-price': approve('write forgotten', 'verdict', '  arbete.pris_ore = input.pris_ore;\n', ''),
  'hand-out-not-ready': handOut(
    'guard removed',
    'verdict',
    'if arbete["status"] != "klart":',
    'if arbete["status"] == "hamtat":',
  ),
  'hand-out-cap-in-kronor': handOut('wrong number', 'verdict', 'LAGER_HOGST = 60000', 'LAGER_HOGST = 90000'),
  'hand-out-cash-without-storage': handOut('guard wrong', 'other', 'slut + lager > 200000', 'slut > 200000'),
  'hand-out-always-card': handOut(
    'argument ignored',
    'verdict',
    '"satt": input["satt"], "ore"',
    '"satt": "kort", "ore"',
  ),
  'hand-out-answers-without-storage': handOut(
    'untrue answer',
    'answer',
    '"betalt_ore": slut + lager',
    '"betalt_ore": slut',
  ),
  'lend-to-minors': lend('guard removed', 'verdict', '!world.kunder[kund].myndig', 'false'),
  'lend-day-15-cheap': lend('boundary', 'verdict', 'input.dagar <= 14', 'input.dagar <= 15'),
  'lend-stays-free': lend('write forgotten', 'verdict', '  instrument.ledigt = false;\n', ''),
  'lend-other-kind': lend('guard reached by no sample', 'other', 'instrument.slag !== arbete.slag', 'false'),
  'lend-twice': lend(
    'guard reached by no sample',
    'other',
    'world.utlaningar.some((en) => en.arbete === nummer)',
    'false',
  ),
  'lend-schema-two-weeks': lend(
    'input too strict',
    'verdict',
    "dagar: { type: 'integer', minimum: 1 }",
    "dagar: { type: 'integer', minimum: 1, maximum: 14 }",
  ),
  'read-capitals-only': read('input too strict', 'other', 'input.arbete.trim().toUpperCase()', 'input.arbete'),
  'note-no-refusals': note('input too strict', 'verdict', "'nekad', ", ''),
};
