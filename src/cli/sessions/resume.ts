/** `tandem sessions resume`: going on with a session is going on with its run (S3.6). */
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { HarnessError } from '../../errors.ts';
import { findSessions } from './find-session.ts';
import type { Io } from '../io.ts';
import { resumeCommand, type ResumeOptions } from '../run/resume.ts';

/** What the agent says next stands in the same transcript. */
export async function resumeSession(
  name: string,
  options: ResumeOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const home = findHome(io.cwd);
  const { run, sessions } = await findSessions(name, home, openStore(home));
  const [session] = sessions;
  if (session?.status === 'done') {
    const ways = `tandem fork ${run.id} begins a new run from it, tandem sessions show ${name} shows it`;
    throw new HarnessError('usage', `Session ${session.id} is done (its run ${session.runStatus}): ${ways}.`);
  }
  return resumeCommand(run.dir, options, io, signal);
}
