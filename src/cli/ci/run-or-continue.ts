/** `tandem run <scenario> --id <id> --continue`: the same command line begins a run and goes on with it the next time. */
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { HarnessError, isHarnessError } from '../../errors.ts';
import type { Io } from '../io.ts';
import { resumeCommand } from '../run/resume.ts';
import { runCommand, type RunOptions } from '../run/run.ts';

export type ContinueOptions = RunOptions & { continue?: boolean | undefined };

export async function runOrContinue(
  scenario: string,
  options: ContinueOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  if (options.continue !== true) return runCommand(scenario, options, io, signal);
  if (options.id === undefined)
    throw new HarnessError('usage', '--continue needs --id <run-id>: the run that this job begins or goes on with.');
  const dir = await existing(options.id, io);
  return dir === undefined ? runCommand(scenario, options, io, signal) : resumeCommand(dir, options, io, signal);
}

/** By its whole id: the beginning of one would go on with another run. */
async function existing(id: string, io: Io): Promise<string | undefined> {
  try {
    const run = await openStore(findHome(io.cwd)).store.open(id);
    return run.id === id ? run.dir : undefined;
  } catch (error) {
    if (isHarnessError(error, 'not_found')) return undefined;
    throw error;
  }
}
