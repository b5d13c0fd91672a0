/** The next thing to do with a run that no button of its page carries on. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunFolder } from '../../ports/run-store.ts';
import { isHandedOver } from '../../run-folder/hand-over.ts';
import type { RunState } from '../../run/state.ts';

/** One sentence, and the command that it speaks of. */
export type NextStep = { text: string; command?: string };

/** Returns undefined where the run has ended, waits for a decision, or is being worked on. */
export async function readNextStep(run: RunFolder, state: RunState, key: string): Promise<NextStep | undefined> {
  if ('verdict' in state || state.status === 'awaiting_approval') return undefined;
  const command = `tandem resume ${key}`;
  if (state.status === 'paused' && state.pause.reason === 'budget')
    return { text: 'The money cap is reached. Go on with $5 more:', command: `${command} --raise 5` };
  if (state.status === 'paused' || state.status === 'errored') return { text: 'It stands still. Go on:', command };
  if (await isHandedOver(run)) return { text: 'Workers go on with it: nothing is to be done.' };
  if ((await findAttempt(run)) !== undefined) return undefined;
  return { text: 'Nothing is running yet. Start it with:', command };
}

/** Returns the folder name of the step that is being made, such as `design.r1@worker`. */
export async function findAttempt(run: Pick<RunFolder, 'dir'>): Promise<string | undefined> {
  const attempts = await readdir(join(run.dir, 'wip')).catch(() => []);
  return attempts.find((name) => /^(design|execute)\./.test(name));
}
