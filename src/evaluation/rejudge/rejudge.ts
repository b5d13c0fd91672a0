/** Judges traces of our own again by a set of components, and compares with the outcomes that were recorded beside them. */
import { isHarnessError, messageOf } from '../../errors.ts';
import type { SandboxSession } from '../../ports/sandbox.ts';
import { passTable } from '../../scenario/statistics/pass-k.ts';
import type { TrialResult, Verdict } from '../../scenario/result.ts';
import { checkTrace } from '../judge/check-trace.ts';
import type { Components } from '../components/components.ts';
import { ownDoubt, type OwnDoubt } from './doubts.ts';
import { readOwnTrace, type OwnTrace } from './own-trace.ts';

type Outcome = TrialResult['outcome'];
type Refusal = OwnDoubt['code'] | 'unreadable';

/** One trace as it lies on disk; `name` is what the file's name says, `recorded` what `results.json` says of it. */
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
  refused: { at: string; code: Refusal; message: string }[];
  /** As far as every judged sample has scored trials. */
  passK: number[];
};

export async function rejudgeOwn(
  traces: readonly RecordedTrace[],
  components: Components,
  session: SandboxSession,
  signal: AbortSignal,
): Promise<OwnSet> {
  const rows: OwnRow[] = [];
  const refused: OwnSet['refused'] = [];
  for (const { at, text, name, recorded } of traces) {
    const trace = tryRead(text, at, components);
    const doubt = 'code' in trace ? trace : ownDoubt(trace, name, components);
    if (doubt !== undefined || 'code' in trace) refused.push({ at, ...(doubt as OwnDoubt) });
    else rows.push(await judge(trace, recorded, components, session, signal));
  }
  return { rows, refused, passK: passTable(talliesOf(rows)) };
}

function tryRead(text: string, at: string, known: Components): OwnTrace | { code: Refusal; message: string } {
  try {
    return readOwnTrace(text, at, known);
  } catch (error) {
    const code = isHarnessError(error, 'version_mismatch') ? 'other-design' : 'unreadable';
    return { code, message: messageOf(error) };
  }
}

async function judge(
  { at, sample: id, trial, played }: OwnTrace,
  recorded: Outcome | undefined,
  { samples, paths }: Components,
  session: SandboxSession,
  signal: AbortSignal,
): Promise<OwnRow> {
  const { sample, base } = samples.find((one) => one.sample.id === id) ?? {};
  const isScored = sample !== undefined && played.stop !== 'infrastructure';
  const verdicts = isScored
    ? await checkTrace({ sample, played, checkers: sample.checkers, session, paths, base: base?.world }, signal)
    : [];
  const judged = verdicts.every(({ pass }) => pass) ? 'pass' : 'fail';
  const outcome = isScored ? judged : 'unscored';
  const agrees = recorded === undefined ? undefined : recorded === outcome;
  return { at, sample: id, trial, outcome, recorded, agrees, verdicts };
}

function talliesOf(rows: readonly OwnRow[]): { passed: number; total: number }[] {
  const scored = rows.filter(({ outcome }) => outcome !== 'unscored');
  return [...Map.groupBy(scored, ({ sample }) => sample).values()].map((own) => ({
    passed: own.filter(({ outcome }) => outcome === 'pass').length,
    total: own.length,
  }));
}
