/** Which walls generated code runs behind: chosen by the user, or the best that this machine has for code of this origin. */
import { openBubblewrap, openSandbox } from '../adapters/sandbox/open-sandbox.ts';
import type { SandboxChoice } from '../config/schema.ts';
import { HarnessError } from '../errors.ts';
import type { Sandbox } from '../ports/sandbox.ts';

export type Confining = {
  choice?: SandboxChoice | undefined;
  allowUnsandboxed?: boolean | undefined;
  /**
   * Who wrote the code: scripts that lie beside the scenario, or a person who has it on their own disk, are trusted as far
   * as Node's permission model holds. What a real model writes is hostile until it is confined.
   */
  trusted: boolean;
  /** The first session will be on it: the sandbox starts there at once. */
  folder?: string | undefined;
};

export async function openConfined({
  choice = 'auto',
  allowUnsandboxed = false,
  trusted,
  folder,
}: Confining): Promise<Sandbox> {
  const first = folder === undefined ? {} : { folder };
  if (choice === 'bubblewrap') return openBubblewrap(first);
  if (choice === 'quickjs') return openPureFirst(undefined);
  const best = await openSandbox({ allowUnsandboxed, ...first }).catch((error: unknown) => {
    if (error instanceof HarnessError && error.code === 'sandbox_unavailable') return undefined;
    throw error;
  });
  if (best?.kind === 'bubblewrap') return best;
  // What needs the language alone needs nothing of this machine; the network is open to the rest.
  return openPureFirst(trusted || allowUnsandboxed ? best : undefined);
}

async function openPureFirst(rest: Sandbox | undefined): Promise<Sandbox> {
  const { pureFirst } = await import('../adapters/quickjs/quickjs-or-process.ts');
  return pureFirst(rest);
}
