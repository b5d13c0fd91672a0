/** What a finished trial is worth: its verdicts, and whether a tool failed it. */
import type { TrialResult } from '../scenario/result.ts';
import type { Sample } from '../scenario/sample.ts';
import { isToolFault, type Stage } from './call-tool.ts';
import { checkTrace } from './check-trace.ts';
import { describeCall } from './judge-expectation.ts';
import { firstDifference, type Played } from './played.ts';

export async function judgeRun(
  sample: Sample,
  played: Played,
  stage: Stage,
  signal: AbortSignal,
): Promise<Pick<TrialResult, 'outcome' | 'verdicts' | 'toolFault'>> {
  // What the subject would have done is not known: there is nothing to judge.
  if (played.stop === 'infrastructure') return { outcome: 'unscored', verdicts: [] };
  const { session, paths } = stage;
  const verdicts = await checkTrace({ sample, played, checkers: sample.checkers, session, paths }, signal);
  if (verdicts.every(({ pass }) => pass)) return { outcome: 'pass', verdicts };
  const toolFault = faultOf(played) ?? (await replayFault(stage, played, signal));
  return { outcome: 'fail', verdicts, ...(toolFault === undefined ? {} : { toolFault }) };
}

/** The first failure of a tool on an input that was valid. */
function faultOf({ calls }: Played): string | undefined {
  const call = calls.find(({ error }) => isToolFault(error));
  return call === undefined ? undefined : `${describeCall(call)} (${call.error}): ${String(call.output)}`;
}

async function replayFault(stage: Stage, played: Played, signal: AbortSignal): Promise<string | undefined> {
  const call = await firstDifference(stage, played, signal);
  return call === undefined ? undefined : `${describeCall(call)} does not answer the same on replay`;
}
