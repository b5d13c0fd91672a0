/** Faults of samples, written down before the proof was run on any of them. */
import { sample } from './edits.mjs';

const violin = sample('offert-violin');
const pupil = sample('offert-elev');
const guarantee = sample('offert-garanti');
const dayAfter = sample('offert-po-zaruce');
const lastDay = sample('offert-trettio-dagar');
const expired = sample('offert-prosla');
const refused = sample('offert-nej');
const dayFourteen = sample('hamta-dag-fjorton');
const dayFifteen = sample('hamta-dag-femton');
const capped = sample('hamta-efter-lange');
const early = sample('hamta-for-tidigt');
const twoWeeks = sample('lan-ctrnact-dni');
const longer = sample('lan-femton-dagar');
const minor = sample('lan-omyndig');
const changesMind = sample('lan-nakonec-ne');
const wrongCode = sample('spatny-kod');
const patchOf = ({ expect }, path) => expect.end_state.patch.find((one) => one.path === path);

export const sampleFaults = {
  'user-refuses-what-gold-does': violin('user refuses', 'verdict', (it) => {
    it.user.knows['godkänner beloppet'] = 'Nej, det får vara.';
  }),
  'user-agrees-where-gold-stops': refused('user refuses', 'verdict', (it) => {
    it.user.knows['godkänner beloppet'] = 'Ja, gör det.';
  }),
  'user-without-consent': pupil('user lacks a fact', 'verdict', (it) => {
    delete it.user.knows['souhlas s částkou'];
  }),
  'user-has-another-code': guarantee('user unlike gold', 'verdict', (it) => {
    it.user.knows.kod = '7803';
    it.user.says_first = it.user.says_first.replace('7308', '7803');
  }),
  'user-has-another-job': dayFourteen('user unlike gold', 'verdict', (it) => {
    it.user.knows.arbete = 'AR-530';
    it.user.says_first = it.user.says_first.replace('AR-510', 'AR-530');
  }),
  'user-wants-other-days': longer('user unlike gold', 'verdict', (it) => {
    it.user.knows['hur länge'] = '12 dagar';
    it.user.says_first = it.user.says_first.replace('15 dagar', '12 dagar');
  }),
  'user-pays-otherwise': dayFifteen('user unlike gold', 'verdict', (it) => {
    it.user.knows['způsob platby'] = 'swish';
    it.user.says_first = it.user.says_first.replace('hotově', 'přes swish');
  }),
  'user-dictates-tools': violin('user dictates tools', 'verdict', (it) => {
    it.user.says_first = 'KU-31, kod 4417. Anropa legitimera, las_arbete AR-501 och sedan godkann_offert med 237000.';
  }),
  'user-does-not-know-number': capped('user lacks a fact', 'verdict', (it) => {
    delete it.user.knows.kundnummer;
    it.user.does_not_know = ['kundnummer'];
    it.user.says_first = 'Nils här. Vad kostar det att hämta cellon?';
  }),
  'must-say-everything-says': pupil('empty words', 'verdict', (it) => {
    it.expect.must_say = [{ any: ['2395 korun', 'je', 'a'] }];
  }),
  'must-say-nothing': early('empty words', 'verdict', (it) => {
    it.expect.must_say = [];
  }),
  'must-say-one-wording': dayAfter('one wording only', 'verdict', (it) => {
    it.expect.must_say = [{ any: ['Oprava flétny AR-504 je schválena, stojí 1560 korun'] }];
  }),
  'must-say-other-amount': lastDay('words untrue', 'verdict', (it) => {
    it.expect.must_say = [{ any: ['850 kr'] }];
  }),
  'category-of-another': minor('wrong category', 'other', (it) => {
    it.category = 'hamta';
  }),
  'case-untrue': longer('wrong case', 'verdict', (it) => {
    it.case.dagar = 5;
  }),
  'case-consents': changesMind('wrong case', 'verdict', (it) => {
    delete it.case.samtycker;
  }),
  'case-of-another-job': dayFifteen('wrong case', 'verdict', (it) => {
    it.case_of.arbete = 'AR-510';
  }),
  'no-wrong-path': minor('no wrong path', 'other', (it) => {
    it.wrong = [];
    it.wrong_says = '';
  }),
  'wrong-about-nothing-there': twoWeeks('wrong path about nothing', 'other', (it) => {
    it.wrong = [{ tool: 'las_arbete', args: { arbete: 'AR-999' } }];
    it.wrong_says = 'Tu zakázku nevidím.';
  }),
  'one-of-two-right-ends': twoWeeks('one of two ends', 'verdict', (it) => {
    [it.expect.end_state] = it.expect.end_state.any_of;
  }),
  'any-end-will-do': longer('end not judged', 'verdict', (it) => {
    it.expect.end_state = 'any';
  }),
  'end-without-storage': dayFifteen('end wrong', 'verdict', (it) => {
    it.expect.end_state.patch = it.expect.end_state.patch.filter(({ value }) => value?.slag !== 'lager');
  }),
  'end-and-gold-full-price': pupil('gold and end wrong alike', 'verdict', (it) => {
    patchOf(it, '/arbeten/AR-502/pris_ore').value = 291500;
    patchOf(it, '/godkannanden/-').value.ore = 291500;
    it.gold[5].args.pris_ore = 291500;
    it.gold[3].says = it.gold[3].says.replace('2395', '2915');
    it.gold_says = it.gold_says.replace('2395', '2915');
    it.expect.must_say = [{ any: ['2915 korun'] }];
  }),
  'end-in-the-past': expired('end wrong', 'verdict', (it) => {
    patchOf(it, '/session/forsok').value = 2;
  }),
  'gold-says-untrue-amount': capped('words of gold untrue', 'verdict', (it) => {
    it.gold_says = 'Cellon är din igen. Du har betalat 2200 kr, och lagringen var 700 kr av dem.';
  }),
  'gold-says-untrue-act': refused('words of gold untrue', 'verdict', (it) => {
    it.gold_says = 'Offerten är inte godkänd, men jag har lånat ut en flöjt till dig. Ingenting annat har ändrats.';
  }),
  'gold-asks-other-amount': guarantee('words of gold untrue', 'verdict', (it) => {
    it.gold[2].says = it.gold[2].says.replace('880', '980');
  }),
  'gold-does-not-ask': dayFourteen('gold breaks a rule', 'verdict', (it) => {
    it.gold = it.gold.filter((one) => one.says === undefined && one.user === undefined);
  }),
  'gold-asks-another-code': wrongCode('user unlike gold', 'verdict', (it) => {
    it.gold[2].user = 'Je to 9025.';
    it.gold[3].args.kod = '9025';
  }),
  'forbids-what-is-needed': violin('must not call too much', 'verdict', (it) => {
    it.expect.must_not_call.push('lista_arbeten');
  }),
  'consent-checker-unlisted': longer('checker missing', 'verdict', (it) => {
    it.checkers = it.checkers.filter((id) => id !== 'ja-forst');
  }),
  'steps-too-few': capped('limit below gold', 'verdict', (it) => {
    it.limits = { steps: 3 };
  }),
};
