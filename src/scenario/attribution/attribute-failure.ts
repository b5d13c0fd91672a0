/** Attributes a failed sample to a layer by evidence in order: gold, tools, checkers, its trials, the subject. */
import type { Finding } from '../proof-strength.ts';
import type { ProblemCode } from './problem-code.ts';
import { isDecisive, type Cause, type Layer, type Problem, type TrialResult } from '../result.ts';

type FailureEvidence = {
  sample: string;
  /** All findings of verify-components. */
  problems: readonly Problem[];
  /** What the measurement of its strength found besides. */
  findings?: readonly Finding[] | undefined;
  /** The failed trials, each with the tools that were called in it. */
  trials: readonly { result: TrialResult; tools: readonly string[] }[];
};

type Attribution = { layer: Layer; cause: Cause; why: string[] };

const LAYER_OF: Readonly<Record<Cause, Layer>> = { '1': 1, '2': 2, '3': 3, '4a': 4, '4b': 4 };

const GOLD_CODES: readonly ProblemCode[] = [
  ...(['world-invalid', 'expectation-invalid', 'gold-invalid', 'gold-fails'] as const),
  'table-against-sample',
];
/** Problems of one sample that show the design to be wrong. */
const DESIGN_CODES: readonly ProblemCode[] = ['rules-contradict', 'table-against-all'];
/** A checker that accepts too much does not refuse too much; whether a spelling was refused each trial tells of itself. */
const CHECKER_DOUBTS: readonly string[] = ['checker-misses-demand', 'checker-demands-spelling'] satisfies ProblemCode[];
const MAX_LINES = 12;

/** Attributes the failure; `why` lists the evidence, strongest first, and then the checkers' reasons. */
export function attributeFailure(failure: FailureEvidence): Attribution {
  const [cause, evidence] = findDecisiveCause(failure);
  const reasons = failure.trials.flatMap((trial) => verdictLines(trial.result, failure.trials.length > 1));
  return { layer: LAYER_OF[cause], cause, why: [...new Set([...evidence, ...reasons])].slice(0, MAX_LINES) };
}

function findDecisiveCause(failure: FailureEvidence): [Cause, string[]] {
  const { sample, problems, trials } = failure;
  const own = problems.filter((problem) => problem.sample === sample);
  const contradictions = own.filter(({ code }) => (DESIGN_CODES as readonly string[]).includes(code));
  if (contradictions.length > 0) return ['1', problemTexts(contradictions)];

  const gold = own.filter(({ code }) => (GOLD_CODES as readonly string[]).includes(code));
  if (gold.length > 0) return ['4a', problemTexts(gold)];

  const faults = trials.flatMap(({ result }) => result.toolFault ?? []);
  const called = new Set(trials.flatMap(({ tools }) => tools));
  const toolProblems = problems.filter(
    ({ layer, component, code, sample: about = sample }) =>
      layer === 2 &&
      called.has(component) &&
      about === sample &&
      // A fragile tool decides nothing unless it broke, which gives the trial a tool fault.
      code !== ('tool-fragile' satisfies ProblemCode) &&
      !TOOL_DOUBTS.includes(code),
  );
  if (faults.length + toolProblems.length > 0) return ['2', [...faults, ...problemTexts(toolProblems)]];

  const failing = trials.flatMap(({ result }) =>
    result.verdicts.filter((verdict) => !verdict.pass && isDecisive(verdict)),
  );
  const broken = failing.filter((verdict) => verdict.broken === true);
  const rejecting = new Set(failing.map(({ checker }) => checker));
  const checkerProblems = problems.filter(
    ({ layer, component, code, sample: about = sample }) =>
      layer === 3 &&
      rejecting.has(component) &&
      !CHECKER_DOUBTS.includes(code) &&
      // A checker that judges the path does so in every sample, and is no excuse when the end is wrong too.
      (code === ('checker-judges-path' satisfies ProblemCode)
        ? !rejecting.has('expect')
        : // Any other fault in the proof of one sample says nothing about another.
          about === sample),
  );
  if (broken.length + checkerProblems.length > 0) {
    const lines = broken.map(({ checker, reason }) => `checker ${checker} is broken: ${reason}`);
    return ['3', [...lines, ...problemTexts(checkerProblems)]];
  }
  const spelled = trials.flatMap(({ result }) => result.spelling ?? []);
  if (spelled.length > 0) return ['3', spelled];
  const shown = trials.flatMap(({ result }) => listUnanswered(result).concat(result.sampleFault ?? []));
  return shown.length > 0 ? ['4a', shown] : ['4b', trials.flatMap(({ result }) => result.wording ?? [])];
}

/** Tools that answer untruly mislead a subject; one that lacks a guard, or is strict, does not. */
const MISLEADING: ReadonlySet<string> = new Set<ProblemCode>([
  'tool-answer-fixed',
  'tool-answer-untrue',
  'tool-success-empty',
  'tool-against-table',
  'tool-lists-others',
  'tool-offers-refused',
]);
/** Relations that a tool breaks without having decided this trial: they make a failure of the subject disputed. */
const TOOL_DOUBTS: readonly string[] = [
  ...MISLEADING,
  ...(['tool-leaks-records', 'tool-guard-missing', 'tool-spelling', 'tool-does-twice'] satisfies ProblemCode[]),
];
/** What a judge demands besides the rule, and what a sample keeps from its subject. */
const DEMANDING: ReadonlySet<string> = new Set([
  'checker-demands-path',
  'checker-demands-wording',
  'checker-demands-yes',
  'end-demands-path',
  'end-demands-wording',
]);
const WITHHOLDING: ReadonlySet<string> = new Set(['user-unlike-gold', 'user-withholds', 'gold-says-untrue']);

/** Reasons why a failure that nothing else explains may still be the evaluation's: each makes it disputed. */
export function listCauseDoubts({ sample, problems, findings = [], trials }: FailureEvidence): string[] {
  const called = new Set(trials.flatMap(({ tools }) => tools));
  const failing = trials.flatMap(({ result }) => result.verdicts.filter(({ pass }) => !pass));
  const judges = new Set(failing.map(({ checker }) => checker));
  const isAbout = ({ code, component, sample: about = sample }: Finding): boolean =>
    (MISLEADING.has(code) && called.has(component)) ||
    (WITHHOLDING.has(code) && about === sample && component === sample) ||
    (DEMANDING.has(code) && (judges.has(component) || (judges.has('expect') && component === sample)));
  return [...new Set([...problems, ...findings].filter(isAbout).map(({ message }) => message))];
}

/** Ignores the user's silence where the subject had already done something forbidden. */
function listUnanswered({ unanswered, verdicts }: TrialResult): string[] {
  const isForbidden = verdicts.some(({ evidence }) => evidence.some((line) => line.startsWith('must not be called')));
  if (unanswered === undefined || isForbidden) return [];
  return [`the user had no answer to "${unanswered}": user.knows, does_not_know or acts of the sample must say one`];
}

function problemTexts(problems: readonly Problem[]): string[] {
  return problems.map(({ code, component, message }) => `${component}: ${message} (${code})`);
}

function verdictLines(trial: TrialResult, isOneOfMany: boolean): string[] {
  const prefix = isOneOfMany ? `trial ${trial.trial}: ` : '';
  return trial.verdicts
    .filter((verdict) => !verdict.pass && verdict.broken !== true && isDecisive(verdict))
    .flatMap(({ checker, reason, evidence }) => [
      `${prefix}${checker}: ${reason}`,
      ...evidence.slice(0, 3).map((line) => `${prefix}${checker}: ${line}`),
    ]);
}
