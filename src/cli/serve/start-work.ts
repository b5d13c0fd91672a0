/** `tandem serve --work`: carries runs on in this process when a person asks for it on a page. */
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { describeError } from '../../errors.ts';
import { findCarrier } from '../../run-folder/work-mark.ts';
import type { Call } from '../command-context.ts';
import { resumeCommand } from '../run/resume.ts';

const LOOK_MS = 50;

/** `start` resolves once the run is being worked on or rests again, and throws what keeps it from beginning. */
export type RunStarter = { start: (dir: string) => Promise<void>; close: () => Promise<void> };

export function createRunStarter({ io, signal }: Call): RunStarter {
  const working = new Map<string, Promise<number>>();
  const begin = (dir: string): Promise<number> => {
    // Nobody at this terminal asked for the work, so it shows lines and asks nothing.
    const quiet = { ...io, out: io.err, screen: undefined, ask: undefined };
    const work = resumeCommand(dir, { onGate: 'exit' }, { io: quiet, signal });
    working.set(dir, work);
    void work
      .catch((error: unknown) => signal.aborted || io.err(`${dir}: ${describeError(error)}`))
      .finally(() => working.delete(dir));
    return work;
  };
  return {
    start: async (dir) => {
      const work = working.get(dir) ?? begin(dir);
      const run = await openStore(findHome(io.cwd)).store.open(dir);
      const wait = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), LOOK_MS));
      while ((await Promise.race([work, wait()])) === undefined) if ((await findCarrier(run)) !== 'nothing') return;
    },
    close: async () => void (await Promise.allSettled(working.values())),
  };
}
