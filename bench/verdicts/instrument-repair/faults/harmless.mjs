/** Edits that change nothing that matters; an alarm about one of them is a false one. */
import { checker, sample, tool } from './edits.mjs';

const edit = (put, from, to) => put('harmless', 'nothing', from, to);
const reverse = (record) => Object.fromEntries(Object.entries(record).toReversed());
const OWN = "  if (kund === null) return { ok: false, error: 'ingen är legitimerad' };\n";

export const harmless = {
  'tool-comment': edit(tool('las_arbete.mjs'), 'const DYGN', '// Ett dygn i millisekunder.\nconst DYGN'),
  'tool-other-refusal-words': edit(tool('lana_ut.mjs'), "'högst 30 dagar'", "'längre än 30 dagar lånar vi inte ut'"),
  'tool-description': edit(
    tool('lista_arbeten.mjs'),
    "description: 'Listar den legitimerade",
    "description: 'Visar den legitimerade",
  ),
  'tool-variable': edit(
    tool('godkann_offert.mjs'),
    'const alder = Math',
    'const dagar_gammal = 0;\n  const alder = dagar_gammal + Math',
  ),
  'tool-boundary-written-otherwise': edit(tool('lana_ut.mjs'), 'input.dagar <= 14', 'input.dagar < 15'),
  'tool-sum-written-otherwise': edit(
    tool('las_arbete.mjs'),
    'delar + (65000 * timmar * (elev ? 8 : 10)) / 10',
    'delar + timmar * (elev ? 52000 : 65000)',
  ),
  'tool-answer-key-order': edit(
    tool('anteckna.mjs'),
    '{ ok: true, utfall: input.utfall }',
    '{ utfall: input.utfall, ok: true }',
  ),
  'tool-guards-in-other-order': edit(
    tool('godkann_offert.mjs'),
    OWN,
    `  if (input.arbete === '') return { ok: false, error: 'inget nummer' };\n${OWN}`,
  ),
  'tool-more-told': edit(tool('lamna_ut.py'), '"lager_ore": lager,', '"lager_ore": lager, "slut_ore": slut,'),
  'tool-python-constant': edit(tool('lamna_ut.py'), 'LAGER_HOGST = 60000', 'LAGER_HOGST = 600 * 100'),
  'tool-example-more': edit(
    tool('anteckna.mjs'),
    'examples: [{',
    "examples: [{ input: { utfall: 'okand' }, world: 'oktober.json' }, {",
  ),
  'checker-reason': edit(
    checker('last-forst.mjs'),
    "reason: 'läst först'",
    "reason: 'arbetet lästes innan det ändrades'",
  ),
  'checker-more-yes': edit(checker('ja-forst.mjs'), '(ja|japp|', '(ja|japp|jajamen|'),
  'checker-comment': edit(
    checker('sista-dagen.py'),
    'MANADER = [',
    '# Svenska, tjeckiska och engelska namn.\nMANADER = [',
  ),
  'checker-other-loop': edit(
    checker('belopp-sist.mjs'),
    'reduce((summa, { ore }) => summa + ore, 0)',
    'map(({ ore }) => ore).reduce((a, b) => a + b, 0)',
  ),
  'checker-more-evidence': edit(
    checker('uppgifter-sagda.mjs'),
    "reason: 'kunden har sagt allt själv', evidence: []",
    "reason: 'kunden har sagt allt själv', evidence: ['allt']",
  ),
  'checker-length-at-zero': edit(checker('en-anteckning.mjs'), 'nya.length !== 1', '!(nya.length === 1)'),
  'sample-title': sample('offert-violin')('harmless', 'nothing', (it) => {
    it.title = 'En offert som alla andra';
  }),
  'sample-key-order': sample('hamta-dag-femton')('harmless', 'nothing', (it) => {
    it.user = reverse(it.user);
  }),
  'sample-other-gold-words': sample('offert-elev')('harmless', 'nothing', (it) => {
    it.gold_says = 'Hotovo, opravu AR-502 jsem schválil. Stojí 2395 korun.';
  }),
  'sample-other-greeting': sample('lan-femton-dagar')('harmless', 'nothing', (it) => {
    it.user.says_first = `God morgon! ${it.user.says_first}`;
  }),
  'sample-checkers-in-other-order': sample('lan-ctrnact-dni')('harmless', 'nothing', (it) => {
    it.checkers.reverse();
  }),
  'sample-ends-in-other-order': sample('lan-ctrnact-dni')('harmless', 'nothing', (it) => {
    it.expect.end_state.any_of.reverse();
  }),
  'sample-more-ways-to-say': sample('lan-omyndig')('harmless', 'nothing', (it) => {
    it.expect.must_say[0].any.push('fyllt 18');
  }),
};
