/** Faults of checkers, written down before the proof was run on any of them. */
import { checker } from './edits.mjs';

const yes = checker('ja-forst.mjs');
const said = checker('uppgifter-sagda.mjs');
const looked = checker('last-forst.mjs');
const kind = checker('samma-slag.mjs');
const lastDay = checker('sista-dagen.py');
const amounts = checker('belopp-sist.mjs');
const note = checker('en-anteckning.mjs');
const YES = 'JA.test(svar.text)';
const CHANGES = "['godkann_offert', 'lamna_ut', 'lana_ut']";

export const checkerFaults = {
  'yes-hand-out-forgotten': yes('branch gone', 'other', CHANGES, "['godkann_offert', 'lana_ut']"),
  'yes-any-answer': yes('any answer will do', 'other', `|| !${YES}`, ''),
  'yes-no-counts': yes('inverted', 'verdict', `!${YES}`, YES),
  'yes-one-wording': yes(
    'one wording only',
    'verdict',
    'ja|japp|jo|okej|ok|visst|absolut|gärna|javisst|självklart|det går bra|gör det|kör|',
    'ja|',
  ),
  'yes-swedish-only': yes('one wording only', 'verdict', '|ano|jo|dobře|jasně|souhlasím|platí|určitě|prosím', ''),
  'yes-anywhere-in-it': yes('wording too loose', 'other', '/^\\W*(ja|', '/(ja|ne|nej|'),
  'yes-to-any-amount': yes('amount not read', 'other', ' && namner(en.text, ore)', ''),
  'yes-first-question': yes(
    'first message for the last',
    'other',
    'events.findLastIndex((en, dar) => dar < plats && ',
    'events.findIndex((en, dar) => dar < plats && ',
  ),
  'yes-may-come-after': yes('order', 'other', 'events.slice(fraga + 1, plats)', 'events.slice(fraga + 1)'),
  'yes-hours-for-loan': yes('reading another field', 'verdict', ': output.depost_ore', ': output.dagar'),
  'yes-two-messages-pass': yes(
    'guard too wide',
    'other',
    '  const { events } = trace;\n',
    "  const { events } = trace;\n  if (trace.says.length < 2) return { pass: true, reason: 'kort', evidence: [] };\n",
  ),
  'said-code-ignored': said('field gone', 'other', "['kund', 'kod']", "['kund']"),
  'said-by-anybody': said('reading others', 'other', "handelse.type === 'user'", "handelse.type !== 'call'"),
  'said-first-message-only': said(
    'first message for the last',
    'other',
    "if (handelse.type === 'user') sagt +=",
    "if (handelse.type === 'user' && sagt === '') sagt +=",
  ),
  'said-nothing-needed': said('any will do', 'other', 'saknas.length > 0', 'saknas.length > 1'),
  'looked-any-job': looked('reading another call', 'other', '!lasta.has(nummer(anrop))', 'lasta.size === 0'),
  'looked-after-is-fine': looked(
    'order',
    'other',
    'const lasta = new Set();',
    "const lasta = new Set(trace.calls.filter(({ tool }) => tool === 'las_arbete').map(nummer));",
  ),
  'looked-list-is-enough': looked(
    'reading another call',
    'other',
    "anrop.tool === 'las_arbete' && anrop.output?.ok === true",
    "['las_arbete', 'lista_arbeten'].includes(anrop.tool)",
  ),
  'looked-at-refused-read': looked('failure counts', 'other', ' && anrop.output?.ok === true', ''),
  'looked-list-demanded': looked(
    'path demanded',
    'verdict',
    '  const lasta = new Set();\n',
    "  const lasta = new Set();\n  if (!trace.calls.some(({ tool }) => tool === 'lista_arbeten')) return { pass: false, reason: 'ingen lista', evidence: [] };\n",
  ),
  'kind-never-compared': kind('branch gone', 'nothing', 'slag !== before.arbeten[arbete].slag', 'slag === undefined'),
  'kind-shown-after': kind('order', 'other', '.slice(0, Math.max(utlanat, 0))', ''),
  'kind-shown-not-needed': kind('branch gone', 'other', 'if (!visat)', 'if (visat === undefined)'),
  'last-day-31': lastDay('boundary', 'verdict', 'timedelta(days=30)', 'timedelta(days=31)'),
  'last-day-any-date': lastDay('any will do', 'nothing', '(sista.month, sista.day) in sagda', 'len(sagda) > 0'),
  'last-day-from-35': lastDay('boundary', 'nothing', 'alder <= 30', 'alder <= 35'),
  'last-day-iso-only': lastDay(
    'one wording only',
    'verdict',
    '    for manad, namn in enumerate(MANADER, start=1):',
    '    for manad, namn in enumerate([], start=1):',
  ),
  'amounts-loans-forgotten': amounts(
    'branch gone',
    'nothing',
    "    ...nya('utlaningar').map(({ depost_ore: ore }) => ore),\n",
    '',
  ),
  'amounts-first-part-only': amounts(
    'wrong number',
    'verdict',
    'reduce((summa, { ore }) => summa + ore, 0)',
    'reduce((summa, { ore }) => summa || ore, 0)',
  ),
  'amounts-with-decimals': amounts(
    'one wording only',
    'verdict',
    '/\\d+(\\.\\d+)?/g) ?? [])',
    '/\\d+\\.\\d+/g) ?? [])',
  ),
  'amounts-any-number': amounts('any will do', 'nothing', '!sagda.includes(ore)', 'sagda.length === 0'),
  'note-any-outcome': note('any note will do', 'nothing', 'pass: utfall === sant', 'pass: utfall.length > 0'),
  'note-any-order': note('order', 'other', "trace.calls.at(-1)?.tool !== 'anteckna'", 'false'),
  'note-two-are-fine': note('any will do', 'nothing', 'nya.length !== 1', 'nya.length < 1'),
  'note-refusal-as-expired': note('branch gone', 'verdict', "sample.case.samtycker === false ? 'avbojd' : ", ''),
  'note-first-call': note('reading another call', 'verdict', 'trace.calls.at(-1)', 'trace.calls.at(0)'),
};
