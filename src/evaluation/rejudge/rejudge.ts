/** Judges our own traces again by a set of components, and compares with the recorded outcomes. */
import { isHarnessError, messageOf } from '../../errors.ts';
import type { SandboxSession } from '../../ports/sandbox.ts';
import { passTable } from '../../scenario/statistics/pass-k.ts';
import type { Outcome, Verdict } from '../../scenario/result.ts';
import { checkTrace } from '../judge/check-trace.ts';
import type { Components } from '../components/components.ts';
import { ownDoubt, type OwnDoubt } from './doubts.ts';
import { readOwnTrace, type OwnTrace } from './own-trace.ts';

type RefusalCode = OwnDoubt['code'] | 'unreadable';

/** One trace on disk; `name` is taken from the file's name, `recorded` from `results.json`. */
export type RecordedTrace = { at: string; text: string; name?: string; recorded?: Outcome | undefined };

export type OwnRow = {
  at: string;
  sample: string;
  trial: number;
  outcome: Outcome;
  recorded: Outcome | undefined;
  /** Undefined when nothing is recorded that it could agree with. */
  agrees: boolean | undefined;
  verdicts: Verdict[];
};

export type OwnSet = {
  rows: OwnRow[];
  refused: { at: string; code: RefusalCode; message: string }[];
  /** As far as every judged sample has scored trials. */
  passK: number[];
};

/** The components that judge, and a session on their folder. */
export type Judges = { components: Components; session: SandboxSession };

export async function rejudgeOwn(
  traces: readonly RecordedTrace[],
  { components, session }: Judges,
  signal: AbortSignal,
): Promise<OwnSet> {
  const rows: OwnRow[] = [];
  const refused: OwnSet['refused'] = [];
  for (const { at, text, name, recorded } of traces) {
    const trace = tryRead(text, at, components);
    const doubt = 'code' in trace ? trace : ownDoubt(trace, name, components);
    if (doubt !== undefined || 'code' in trace) refused.push({ at, ...(doubt as OwnDoubt) });
    else {
      const row = await judge(trace, { components, session }, signal);
      rows.push({ ...row, recorded, agrees: recorded === undefined ? undefined : recorded === row.outcome });
    }
  }
  return { rows, refused, passK: passTable(talliesOf(rows)) };
}

function tryRead(text: string, at: string, known: Components): OwnTrace | { code: RefusalCode; message: string } {
  try {
    return readOwnTrace(text, at, known);
  } catch (error) {
    const code = isHarnessError(error, 'version_mismatch') ? 'other-design' : 'unreadable';
    return { code, message: messageOf(error) };
  }
}

async function judge(
  { at, sample: id, trial, played }: OwnTrace,
  { components: { samples, paths }, session }: Judges,
  signal: AbortSignal,
): Promise<Omit<OwnRow, 'recorded' | 'agrees'>> {
  const { sample, base } = samples.find((one) => one.sample.id === id) ?? {};
  const isScored = sample !== undefined && played.stop !== 'infrastructure';
  if (!isScored) return { at, sample: id, trial, outcome: 'unscored', verdicts: [] };
  const verdicts = await checkTrace({ sample, played, session, paths, base: base?.world }, signal);
  return { at, sample: id, trial, outcome: verdicts.every(({ pass }) => pass) ? 'pass' : 'fail', verdicts };
}

function talliesOf(rows: readonly OwnRow[]): { passed: number; total: number }[] {
  const scored = rows.filter(({ outcome }) => outcome !== 'unscored');
  return [...Map.groupBy(scored, ({ sample }) => sample).values()].map((own) => ({
    passed: own.filter(({ outcome }) => outcome === 'pass').length,
    total: own.length,
  }));
}
