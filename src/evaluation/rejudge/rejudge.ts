/** Judges our own traces again by a set of components, and compares with the recorded outcomes. */
import { isHarnessError, describeError } from '../../errors.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import { passTable } from '../../scenario/statistics/pass-k.ts';
import { isDecisive, type Outcome, type Verdict } from '../../scenario/result.ts';
import { sameJson } from '../../scenario/json/json-value.ts';
import { findGraders, gradeTrial, type Grading } from '../graders/grading.ts';
import { isLeftUnjudged } from '../judge/judge-run.ts';
import { checkTrace } from '../judge/check-trace.ts';
import type { Components, LoadedSample } from '../components/components.ts';
import { nearestWord } from '../components/schema-issues.ts';
import { readOwnTrace, type OwnTrace } from './own-trace.ts';

type RefusalCode = TraceDoubt['code'] | 'unreadable';

/** One trace on disk; `name` is taken from the file's name, `recorded` from `results.json`. */
export type RecordedTrace = { at: string; text: string; name?: string; recorded?: Outcome | undefined };

export type RejudgedRow = {
  at: string;
  sample: string;
  trial: number;
  outcome: Outcome;
  recorded: Outcome | undefined;
  /** Undefined when no outcome was recorded to compare with. */
  agrees: boolean | undefined;
  verdicts: Verdict[];
  /** Why it cannot be judged: a grader's verdict on it is not remembered. */
  why?: string;
};

export type RejudgedSet = {
  rows: RejudgedRow[];
  refused: { at: string; code: RefusalCode; message: string }[];
  /** pass^k for each k up to the number of scored trials that every judged sample has. */
  passK: number[];
};

/** The components that judge, a session on their folder, and what graders have said before. */
export type Judges = { components: Components; session: OpenSandbox; grading?: Grading | undefined };

export async function rejudgeOwn(
  traces: readonly RecordedTrace[],
  judges: Judges,
  signal: AbortSignal,
): Promise<RejudgedSet> {
  const { components } = judges;
  const rows: RejudgedRow[] = [];
  const refused: RejudgedSet['refused'] = [];
  for (const { at, text, name, recorded } of traces) {
    const trace = tryReadTrace(text, at, components);
    const doubt = 'code' in trace ? trace : findDoubt(trace, name, components);
    if (doubt !== undefined || 'code' in trace) refused.push({ at, ...(doubt as TraceDoubt) });
    else {
      const row = await judgeTrace(trace, judges, signal);
      rows.push({ ...row, recorded, agrees: recorded === undefined ? undefined : recorded === row.outcome });
    }
  }
  return { rows, refused, passK: passTable(countPasses(rows)) };
}

function tryReadTrace(text: string, at: string, known: Components): OwnTrace | { code: RefusalCode; message: string } {
  try {
    return readOwnTrace(text, at, known);
  } catch (error) {
    const code = isHarnessError(error, 'version_mismatch') ? 'other-design' : 'unreadable';
    return { code, message: describeError(error) };
  }
}

async function judgeTrace(
  { at, sample: id, trial, played }: OwnTrace,
  { components: { samples, paths, graders }, session, grading }: Judges,
  signal: AbortSignal,
): Promise<Omit<RejudgedRow, 'recorded' | 'agrees'>> {
  const { sample, base } = samples.find((one) => one.sample.id === id) ?? {};
  const unscored = { at, sample: id, trial, outcome: 'unscored' as const, verdicts: [] };
  if (sample === undefined || played.stop === 'infrastructure') return unscored;
  const own = findGraders(sample, graders);
  const graded = await gradeTrial({ sample, played, graders: own, lane: '' }, grading, signal);
  if ('unreachable' in graded) return { ...unscored, why: graded.unreachable };
  const byCode = await checkTrace({ sample, played, session, paths, base: base?.world }, signal);
  const verdicts = [...byCode, ...graded.verdicts];
  const isPassed = verdicts.filter(isDecisive).every(({ pass }) => pass);
  if (isLeftUnjudged(sample, played, isPassed)) return { ...unscored, verdicts };
  return { at, sample: id, trial, outcome: isPassed ? 'pass' : 'fail', verdicts };
}

function countPasses(rows: readonly RejudgedRow[]): { passed: number; total: number }[] {
  const scored = rows.filter(({ outcome }) => outcome !== 'unscored');
  return [...Map.groupBy(scored, ({ sample }) => sample).values()].map((own) => ({
    passed: own.filter(({ outcome }) => outcome === 'pass').length,
    total: own.length,
  }));
}

/** Shows that one of our traces belongs to another sample, or to another version of the design, than is loaded. */
type TraceDoubt = { code: 'unknown-sample' | 'other-sample' | 'other-design'; message: string };

/** Undefined when the trace may be judged by the sample that it names. `name` is the file's, `<sample>.<trial>`. */
function findDoubt(trace: OwnTrace, name: string | undefined, { samples, tools }: Components): TraceDoubt | undefined {
  const { sample: id, trial, lines } = trace;
  if (name !== undefined && name !== `${id}.${trial}`)
    return { code: 'other-sample', message: `the file is named ${name}, and holds trial ${trial} of sample "${id}"` };
  const own = samples.find(({ sample }) => sample.id === id);
  if (own === undefined) return { code: 'unknown-sample', message: describeUnknown(id, samples) };
  if (!hasSameStart(own, trace)) {
    const real = samples.find((other) => other !== own && hasSameStart(other, trace));
    if (real !== undefined)
      return { code: 'other-sample', message: `it says sample "${id}", and begins as sample "${real.sample.id}" does` };
    const part = sameJson(own.world, trace.played.before) ? 'the first words of its user' : 'its start world';
    return { code: 'other-design', message: `sample "${id}" is of another version here: ${part} is another` };
  }
  const known = new Set(tools.map((tool) => tool.name));
  const gone = lines.find((line) => line.type === 'call' && line.error !== 'unknown_tool' && !known.has(line.tool));
  if (gone?.type !== 'call') return undefined;
  return { code: 'other-design', message: `it calls the tool "${gone.tool}", which is not among the tools here` };
}

function hasSameStart({ sample, world }: LoadedSample, { played, firstWords }: OwnTrace): boolean {
  return sample.user.says_first === firstWords && sameJson(world, played.before);
}

function describeUnknown(id: string, samples: readonly LoadedSample[]): string {
  const ids = samples.map(({ sample }) => sample.id);
  const near = nearestWord(id, ids);
  const meant = near === undefined ? '' : `; did you mean "${near}"?`;
  return `there is no sample "${id}" among the ${ids.length} here${meant}`;
}
