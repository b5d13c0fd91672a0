/** Problems of a sample, its checkers and its rules, found by the verdicts on its gold path. */
import type { CheckerSpec } from '../../scenario/component.ts';
import { createProblemFactory, createProblem } from '../../scenario/attribution/problem-code.ts';
import { sameJson } from '../../scenario/json/json-value.ts';
import type { Problem, Verdict } from '../../scenario/result.ts';
import { checkTrace, type JudgingInput } from '../judge/check-trace.ts';
import { acceptedEnds, stateDifference } from '../judge/judge-expectation.ts';
import { describeDecisiveCalls } from './gold-runs.ts';
import { hasWords, mendWords } from './word-mutants.ts';
import { withEvents, type TrialRecord } from '../components/trial-record.ts';
import { buildTable } from '../../scenario/cases/case-table.ts';
import { findTableFaults } from '../../scenario/cases/find-table-faults.ts';
import type { Design } from '../../scenario/design.ts';
import type { Sample } from '../../scenario/sample.ts';

export function isRefusal({ pass, broken }: Verdict): boolean {
  return !pass && broken !== true;
}

export type GoldJudgement = {
  problems: Problem[];
  /** Pairs of checkers that no known end satisfies together, if both are to be believed. */
  contradictions: ReturnType<typeof findContradictions>;
  /** Checkers that reject the gold path, each unless a contradiction excuses it. */
  rejections: Problem[];
  /** Those of them whose refusal tells of the sample, with the reason. */
  excused: ReadonlyMap<string, string>;
  /** The checkers reject the end of the gold path, and accept it with an end that the sample expects. */
  isSeconded: boolean;
};

/** The judgement of a gold path with which nothing is wrong, or that could not be played. */
export const NO_FAULT: GoldJudgement = {
  problems: [],
  contradictions: [],
  rejections: [],
  excused: new Map(),
  isSeconded: false,
};

type GoldJudging = Omit<JudgingInput, 'played'>;

/** For a gold path without failed calls. */
export async function judgeGold(
  judge: GoldJudging,
  { specs, gold, wrong }: { specs: readonly CheckerSpec[]; gold: JudgedEnd; wrong: JudgedEnd },
  signal: AbortSignal,
): Promise<GoldJudgement> {
  const { sample } = judge;
  const make = createProblemFactory(sample.id);
  const calls = describeDecisiveCalls(gold.played, stateDifference(sample, gold.played), judge.paths);
  const rejecting = gold.verdicts.filter((verdict) => verdict.checker !== 'expect' && isRefusal(verdict));
  const expectation = gold.verdicts.find(({ checker }) => checker === 'expect');
  if (expectation?.pass === false) {
    const detail = [expectation.reason, ...expectation.evidence].join('; ');
    const problems = [make('gold-fails', `${calls}its gold path fails its own expectation: ${detail}`)];
    return { ...NO_FAULT, problems, isSeconded: rejecting.length > 0 && (await acceptsOtherEnd(judge, gold, signal)) };
  }
  if (rejecting.length === 0) return NO_FAULT;
  const ends = [gold, wrong, ...(await alternativeEnds(judge, gold.played, signal))];
  const mended = await passesWithWords(judge, gold.played, signal);
  const isWrong = sameJson(listActs(gold.played), listActs(wrong.played));
  const excused = new Map(
    rejecting.flatMap(({ checker }): [string, string][] => {
      if (mended.has(checker)) return [[checker, 'it accepts the same acts with other words']];
      return isWrong ? [[checker, 'the wrong path of the sample is the same, step by step']] : [];
    }),
  );
  const rejections = rejecting.map(({ checker, reason }) => {
    const hint =
      mended.has(checker) && !hasWords(gold.played)
        ? '; it passes once the user is asked and says yes: write {"says": …} and {"user": …} before the call'
        : '';
    return make('checker-rejects-gold', `${calls}checker ${checker} rejects the gold path: ${reason}${hint}`, checker);
  });
  return { ...NO_FAULT, contradictions: findContradictions(sample, specs, ends), rejections, excused };
}

/** Everything but the last words. */
function listActs({ events = [] }: TrialRecord): unknown[] {
  const last = events.findLastIndex(({ type }) => type === 'says');
  const acts = events.filter((_, index) => index !== last);
  return acts.map((event) => (event.type === 'call' ? [event.tool, event.input] : event.text));
}

/** True when all checkers accept the gold path as soon as it ends as the sample expects. */
async function acceptsOtherEnd(judge: GoldJudging, { played }: JudgedEnd, signal: AbortSignal): Promise<boolean> {
  const others = await alternativeEnds(judge, played, signal);
  return others.some(({ verdicts }) => verdicts.every(({ checker, pass }) => pass || checker === 'expect'));
}

/** Checkers that reject gold only for what is said in it, or not said. */
async function passesWithWords(
  judge: GoldJudging,
  gold: TrialRecord,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const passing = new Set<string>();
  for (const played of mendWords(gold, Object.values(judge.sample.user.knows)))
    for (const { checker, pass } of await checkTrace({ ...judge, played }, signal)) if (pass) passing.add(checker);
  return passing;
}

/** The other ends that `any_of` accepts, judged as if the gold path had led there. */
async function alternativeEnds(judge: GoldJudging, gold: TrialRecord, signal: AbortSignal): Promise<JudgedEnd[]> {
  const others = acceptedEnds(judge.sample, gold.before).ends.filter((end) => !sameJson(end, gold.after));
  const judged: JudgedEnd[] = [];
  for (const [index, after] of others.entries()) {
    const played = { ...gold, after };
    const verdicts = await checkTrace({ ...judge, played }, signal);
    judged.push({ name: `accepted end ${index + 1}`, played, verdicts });
  }
  return judged;
}

type RepeatedLookup = { played: TrialRecord; tool: string; step: number };

/** The gold path with one lookup made twice; undefined without lookups. `readOnly`: tools that change nothing by design. */
export function harmlessRepeat(gold: TrialRecord, readOnly: ReadonlySet<string>): RepeatedLookup | undefined {
  const events = gold.events ?? [];
  const index = events.findIndex(
    (event) =>
      event.type === 'call' &&
      readOnly.has(event.tool) &&
      event.change.length === 0 &&
      !event.is_error &&
      event.by === undefined,
  );
  const call = events[index];
  if (call?.type !== 'call') return undefined;
  const later = events.slice(index).map((one) => ({ ...one, step: one.step + 1 }));
  return { played: withEvents(gold, [...events.slice(0, index), call, ...later]), tool: call.tool, step: call.step };
}

/** Checkers that pass the gold path and reject it with a harmless repeat. */
export async function repeatRemarks(
  judge: GoldJudging,
  { played, tool, step }: RepeatedLookup,
  signal: AbortSignal,
): Promise<Problem[]> {
  const verdicts = await checkTrace({ ...judge, played }, signal);
  const make = createProblemFactory(judge.sample.id);
  const when = `when ${tool} is called once more after step ${step}, which changes nothing`;
  return verdicts
    .filter(({ pass }) => !pass)
    .map(({ checker, reason, broken }) =>
      broken === true
        ? make('checker-broken', `checker ${checker} fails ${when}: ${reason}`, checker)
        : make('checker-judges-path', `checker ${checker} rejects the gold path ${when}: ${reason}`, checker),
    );
}

/** One way a sample can end, and the verdicts on it. */
export type JudgedEnd = { name: string; played: TrialRecord; verdicts: readonly Verdict[] };

/** `rules` lists, for each of the two checkers, the rules that only this one judges. */
export type Contradiction = {
  problem: Problem;
  checkers: [string, string];
  rules: readonly [readonly string[], readonly string[]];
};

/**
 * Whether code has read both sides in the table of cases, and found no case in which they demand different things: then two
 * checkers that disagree show a faulty checker, and not a faulty design. False where the table does not say.
 */
export function isSettledByCases({ rules: { rules }, format: { cases } }: Design): (found: Contradiction) => boolean {
  if (cases === undefined) return () => false;
  const table = buildTable(cases, rules);
  const unread = new Set(table.unread);
  const conflicts = findTableFaults(table).filter(({ kind }) => kind === 'conflict');
  return ({ rules: [some, others] }) =>
    some.every((one) =>
      others.every(
        (other) =>
          !unread.has(one) &&
          !unread.has(other) &&
          !conflicts.some((conflict) => [one, other].every((rule) => conflict.rules.includes(rule))),
      ),
    );
}

/** Finds pairs of checkers that no end satisfies; neither is blamed alone for what the rules demand. */
export function findContradictions(
  sample: Sample,
  specs: readonly CheckerSpec[],
  ends: readonly JudgedEnd[],
): Contradiction[] {
  const listed = specs.filter(({ id }) => sample.checkers.includes(id));
  return listed.flatMap((first, index) =>
    listed.slice(index + 1).flatMap((second) => {
      const own = [ownRules(sample, first, second), ownRules(sample, second, first)] as const;
      const rules = own.map(([rule]) => rule);
      const satisfiesFirst = ends.find(({ verdicts }) => hasPassed(verdicts, first) && hasRejected(verdicts, second));
      const satisfiesSecond = ends.find(({ verdicts }) => hasPassed(verdicts, second) && hasRejected(verdicts, first));
      const hasBoth = ends.some(({ verdicts }) => hasPassed(verdicts, first) && hasPassed(verdicts, second));
      if (rules.includes(undefined) || hasBoth || satisfiesFirst === undefined || satisfiesSecond === undefined)
        return [];
      const message =
        `no known end of ${sample.id} satisfies both ${rules[0]} (checker ${first.id}) and ${rules[1]} (checker ` +
        `${second.id}): the ${satisfiesFirst.name} satisfies only the first, the ${satisfiesSecond.name} only the second`;
      const found = { ...createProblem('rules-contradict', rules.join(', '), message), sample: sample.id };
      return [{ problem: found, checkers: [first.id, second.id], rules: own }];
    }),
  );
}

/** Rules that the sample covers, and that only the first of the two checkers judges. */
function ownRules(sample: Sample, checker: CheckerSpec, other: CheckerSpec): string[] {
  return checker.rules.filter((rule) => sample.covers.includes(rule) && !other.rules.includes(rule));
}

function hasPassed(verdicts: readonly Verdict[], { id }: CheckerSpec): boolean {
  return verdicts.some(({ checker, pass }) => checker === id && pass);
}

function hasRejected(verdicts: readonly Verdict[], { id }: CheckerSpec): boolean {
  return verdicts.some(({ checker, pass, broken }) => checker === id && !pass && broken !== true);
}
