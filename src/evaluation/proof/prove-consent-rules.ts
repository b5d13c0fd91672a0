/** Proves checkers of words: one about consent rejects gold without the question, and with a no; none refuses another notation. */
import type { CheckerSpec } from '../../scenario/component.ts';
import type { BusinessRule, Design } from '../../scenario/design.ts';
import { createProblem } from '../../scenario/attribution/problem-code.ts';
import type { WordsProof } from '../../scenario/proof-strength.ts';
import type { Problem } from '../../scenario/result.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import { getComponentPath, type Components, type LoadedSample } from '../components/components.ts';
import type { TrialRecord } from '../components/trial-record.ts';
import { detectLanguage, LANGUAGES } from '../scripted-user/languages.ts';
import { saysYes } from '../scripted-user/sentences.ts';
import { runCheckers } from '../judge/check-trace.ts';
import { isRefusal } from './verify-gold.ts';
import {
  findExchange,
  hasWords,
  listOwnAnswers,
  withExchange,
  wordMutants,
  type OwnAnswers,
  type WordMutant,
} from './word-mutants.ts';
import { respellRecord } from '../judge/word-fault.ts';

/** A sample whose gold path passes, as it was played. */
export type ProvenGold = { loaded: LoadedSample; gold: TrialRecord };
export type WordsInput = { components: Components; design: Design; golds: readonly ProvenGold[] };
export type WordsVerdict = { words: WordsProof[]; problems: Problem[]; remarks: Problem[] };

/** The most samples without words to try for each checker. */
const MOST_PROBES = 3;

/** One exchange of a gold path: the mutants of its words, and those that the checker accepted. */
type ExchangeTest = { gold: ProvenGold; mutants: readonly WordMutant[]; survived: readonly WordMutant[] };

export async function proveConsentRules(
  { components, design, golds }: WordsInput,
  session: OpenSandbox,
  signal: AbortSignal,
): Promise<WordsVerdict> {
  const found: WordsVerdict = { words: [], problems: [], remarks: [] };
  const ask = createAsker(components, session, signal);
  for (const rule of design.rules.rules) {
    const checkers = components.checkers.filter(({ rules }) => rules.includes(rule.id));
    const about = golds.filter(({ loaded }) => loaded.sample.covers.includes(rule.id));
    for (const checker of checkers) {
      const listing = about.filter(({ loaded }) => loaded.sample.checkers.includes(checker.id));
      const tools = listChangingTools(rule, design);
      const own = listOwnAnswers(
        golds.map(({ gold }) => gold),
        tools,
      );
      const heard = await listensTo({ checker, golds: listing, tools, own }, ask);
      if (!heard.listens && !demandsConsent(rule)) continue;
      const report = { rule, checker, ...heard, at: getComponentPath(components.paths, 'checkers', checker.id) };
      reportRule(found, report);
      reportHoles(found, report);
      for (const text of await listRefusedYes({ checker, golds: listing, tools, own }, ask))
        found.remarks.push(createProblem('checker-demands-yes', checker.id, `${report.at}: ${text}`));
    }
  }
  const words = oneForEach(found.words);
  const proven = new Set(words.flatMap((one) => (one.proven ? [one.rule] : [])));
  return { ...found, words, remarks: found.remarks.filter(({ component }) => !proven.has(component)) };
}

/** The tools that the rule is about, of those that change something; undefined where it names none of these. */
function listChangingTools({ applies_to }: BusinessRule, { format }: Design): ReadonlySet<string> | undefined {
  const names = format.tools.flatMap((tool) =>
    tool.changes_world && applies_to.includes(tool.name) ? [tool.name] : [],
  );
  return names.length === 0 ? undefined : new Set(names);
}

type AskChecker = (checker: CheckerSpec, gold: ProvenGold, played: TrialRecord) => Promise<boolean>;

/** Creates a function that tells whether a checker rejects a play. */
export function createAsker({ paths }: Components, session: OpenSandbox, signal: AbortSignal): AskChecker {
  return async ({ id }, { loaded: { sample, base } }, played) => {
    const input = { sample, played, checkers: [id], base: base?.world, session, paths };
    return (await runCheckers(input, signal)).some(isRefusal);
  };
}

type ListeningResult = { listens: boolean; heard: ExchangeTest[] };

type ListeningInput = {
  checker: CheckerSpec;
  golds: readonly ProvenGold[];
  tools: ReadonlySet<string> | undefined;
  own: OwnAnswers;
};

/** A checker listens when it rejects a conversation for what the user says, or does not say. */
async function listensTo({ checker, golds, tools, own }: ListeningInput, ask: AskChecker): Promise<ListeningResult> {
  const heard: ExchangeTest[] = [];
  let listens = false;
  for (const gold of golds) {
    for (const mutants of wordMutants(gold.gold, tools, own.no[0])) {
      const survived: WordMutant[] = [];
      for (const one of mutants) if (!(await ask(checker, gold, one.played))) survived.push(one);
      const one = { gold, mutants, survived };
      heard.push(one);
      listens ||= rejectsMutant(one, 'refused') || rejectsMutant(one, 'not-answered');
    }
  }
  const silent = golds.filter(({ gold }) => !hasWords(gold)).slice(0, MOST_PROBES);
  for (const gold of listens ? [] : silent) {
    const probe = withExchange(gold.gold, 'refusal', tools);
    listens ||= probe !== undefined && (await ask(checker, gold, probe));
  }
  return { listens, heard };
}

/** The most other words of agreement for one checker. */
const MOST_YES = 4;

/** A yes that other users of the scenario say, or that its language has, is as good as gold's own. */
async function listRefusedYes({ checker, golds, tools, own }: ListeningInput, ask: AskChecker): Promise<string[]> {
  for (const gold of golds) {
    const exchange = findExchange(gold.gold, tools);
    if (exchange === undefined) continue;
    const { agreements } = detectLanguage(`${exchange.asked} ${exchange.answer}`);
    const others = [...own.yes, ...(saysYes(exchange.answer) ? agreements : [])];
    for (const text of others.filter((one) => one !== exchange.answer).slice(0, MOST_YES)) {
      if (await ask(checker, gold, exchange.withAnswer(text)))
        return [
          `it refuses the gold path of ${gold.loaded.sample.id} when its user says "${text}" for "${exchange.answer}"`,
        ];
    }
  }
  return [];
}

/** A part of the words that a checker which listens never minds: one tool, or the amount. */
function reportHoles(found: WordsVerdict, { rule, checker, at, listens, heard }: ConsentReport): void {
  if (!listens) return;
  const tests = heard.flatMap(({ gold, mutants, survived }) =>
    mutants.map((one) => ({ ...one, sample: gold.loaded.sample.id, isAccepted: survived.includes(one) })),
  );
  const asked = tests.filter(({ kind }) => kind === 'not-asked');
  const byTool = [...Map.groupBy(asked, ({ tool }) => tool).values()];
  const amounts = tests.filter(({ kind }) => kind === 'other-amount');
  for (const same of [...(byTool.length > 1 ? byTool : []), amounts]) {
    const [first] = same;
    if (first === undefined || same.some(({ isAccepted }) => !isAccepted)) continue;
    const message = `${at}: it names ${rule.id}, and accepts the gold path of ${first.sample} where ${first.title}`;
    found.remarks.push(createProblem('checker-ignores-words', checker.id, message));
  }
}

function demandsConsent({ text }: BusinessRule): boolean {
  return LANGUAGES.some(({ ruleOfConsent }) => ruleOfConsent.test(text));
}

type ConsentReport = ListeningResult & { rule: BusinessRule; checker: CheckerSpec; at: string };

function reportRule(found: WordsVerdict, { rule, checker, at, listens, heard }: ConsentReport): void {
  const { id } = rule;
  const hole = heard.find((one) => acceptsMutant(one, 'not-asked') && rejectsMutant(one, 'refused'));
  // A yes after the change is no consent.
  const proof = heard.find(
    (one) =>
      !acceptsMutant(one, 'not-asked') && !acceptsMutant(one, 'refused') && !acceptsMutant(one, 'asked-too-late'),
  );
  const isProven = proof !== undefined && hole === undefined;
  const shown = isProven ? proof : (hole ?? heard.toSorted((a, b) => a.survived.length - b.survived.length)[0]);
  const sample = shown?.gold.loaded.sample.id;
  const survivor = shown?.survived[0]?.title;
  const why = isProven
    ? `${at} rejects ${sample} without the question and with a no${survivor === undefined ? '' : `; it accepts that ${survivor}`}`
    : shown === undefined
      ? `no sample that covers it says in gold what is asked and answered before something is changed${listens ? `; ${at} listens to the user, and accepts gold in which nobody was asked` : ''}: write {"says": …} and {"user": …} between the calls of gold`
      : `${at} accepts the gold path of ${sample} where ${survivor}`;
  found.words.push({ rule: id, proven: isProven, why });
  if (isProven) return;
  const message = `${shown === undefined ? '' : `${at}: `}${id} is not proven: ${why}`;
  // A checker that rejects a no and accepts a missing question is faulty, if the rule is about consent.
  if (hole !== undefined && demandsConsent(rule))
    found.problems.push(createProblem('checker-accepts-silence', checker.id, message));
  else found.remarks.push(createProblem('words-not-proven', id, message));
}

function acceptsMutant({ survived }: ExchangeTest, kind: WordMutant['kind']): boolean {
  return survived.some((one) => one.kind === kind);
}

function rejectsMutant({ mutants, survived }: ExchangeTest, kind: WordMutant['kind']): boolean {
  return mutants.some((one) => one.kind === kind && !survived.includes(one));
}

/** A rule is proven when one of its checkers proves it. */
function oneForEach(words: readonly WordsProof[]): WordsProof[] {
  const byRule = Map.groupBy(words, ({ rule }) => rule);
  return [...byRule.values()].flatMap((all) => all.find(({ proven }) => proven) ?? all.slice(0, 1));
}

/** The most samples to try for each checker. */
const MOST_SAMPLES = 4;

export async function strictCheckers(
  { components: { checkers, paths }, golds }: { components: Components; golds: readonly ProvenGold[] },
  session: OpenSandbox,
  signal: AbortSignal,
): Promise<Pick<WordsVerdict, 'problems' | 'remarks'>> {
  const found = new Map<string, Map<string, string>>();
  const tried = new Map(checkers.flatMap(({ id, exact_words }) => (exact_words === true ? [] : [[id, 0]])));
  for (const { loaded, gold } of golds) {
    const { sample, base } = loaded;
    const selected = sample.checkers.filter((id) => (tried.get(id) ?? MOST_SAMPLES) < MOST_SAMPLES);
    const others = selected.length === 0 ? [] : respellRecord(gold);
    if (others.length > 0) selected.forEach((id) => tried.set(id, (tried.get(id) ?? 0) + 1));
    for (const { kind, played, was, now } of others) {
      const left = selected.filter((id) => found.get(id)?.has(kind) !== true);
      const verdicts = await runCheckers({ sample, played, checkers: left, base: base?.world, session, paths }, signal);
      for (const { checker, pass, reason } of verdicts) {
        if (pass) continue;
        const example = `${kind} (${sample.id}): with ${JSON.stringify(now)} for ${JSON.stringify(was)} it says "${reason}"`;
        found.set(checker, new Map([...(found.get(checker) ?? []), [kind, example]]));
      }
    }
  }
  // Other kinds of characters are rare in what models write: a person decides whether they matter.
  const listOf = (isRare: boolean): Problem[] =>
    [...found].flatMap(([checker, byKind]) => {
      const kinds = [...byKind].filter(([kind]) => (kind === 'characters') === isRare);
      const message =
        `${getComponentPath(paths, 'checkers', checker)}: it refuses gold paths for their spelling: ${kinds.map(([, example]) => example).join('; ')}. ` +
        'Read amounts, dates, times and ids by what they mean, in any case and with any kind of dash; where its rule demands this very notation, write exact_words: true into the checker';
      return kinds.length === 0 ? [] : [createProblem('checker-demands-spelling', checker, message)];
    });
  return { problems: listOf(false), remarks: listOf(true) };
}
