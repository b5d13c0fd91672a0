/** Why a step failed, with the record of its last call, where it failed at one (S4.5, S4.6). */
import { describeError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { getStepAgent } from '../sessions/read-sessions.ts';

/** The error's message, then the call and how to see all that was tried. Contract: never rejects. */
export async function failureText(
  { id: run, transcripts }: Pick<RunFolder, 'id' | 'transcripts'>,
  step: string,
  error: unknown,
): Promise<string> {
  const calls = await transcripts.calls(getStepAgent(step)).catch(() => []);
  const last = calls.findLast((call) => call.step === step);
  if (last?.outcome !== 'failed' && last?.outcome !== 'not_sent') return describeError(error);
  const { id, estimate, decisions } = last;
  const about = estimate === undefined ? '' : `, about ${estimate} tokens`;
  const tries = decisions.length === 0 ? '' : `, ${decisions.length} tries to make it fit`;
  return `${describeError(error)} [call ${id}${about}${tries}: tandem context show ${run}]`;
}
