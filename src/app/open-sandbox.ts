/** Opens the sandbox for generated code: the user's choice, or the best of this machine for code of this origin. */
import { openBubblewrap, openSandbox } from '../adapters/sandbox/open-sandbox.ts';
import type { SandboxChoice } from '../config/schema.ts';
import { HarnessError } from '../errors.ts';
import type { Sandbox } from '../ports/sandbox.ts';

export type Confining = {
  choice?: SandboxChoice | undefined;
  allowUnsandboxed?: boolean | undefined;
  /**
   * Code from the scenario's scripts, or from a person's own disk, is trusted as far as Node's permission model goes. Code
   * of a real model counts as hostile until it is confined.
   */
  trusted: boolean;
  /** The first session will be on it, so that its hosts start at once. */
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
  // QuickJS works anywhere; only code that needs more gets the weaker isolation.
  return openPureFirst(trusted || allowUnsandboxed ? best : undefined);
}

async function openPureFirst(rest: Sandbox | undefined): Promise<Sandbox> {
  const { pureFirst } = await import('../adapters/quickjs/quickjs-or-process.ts');
  return pureFirst(rest);
}
