/** Opens the sandbox for generated code: the user's choice, or the best of this machine. Whoever starts it, no code is trusted. */
import { openBubblewrap, openSandbox } from '../adapters/sandbox/open-sandbox.ts';
import type { SandboxChoice } from '../config/schema.ts';
import { HarnessError } from '../errors.ts';
import type { Sandbox } from '../ports/sandbox.ts';

export type Confining = {
  choice?: SandboxChoice | undefined;
  /** The user accepts code that cannot be confined on this machine: Node's permission model, or nothing. */
  allowUnsandboxed?: boolean | undefined;
};

/**
 * QuickJS for what needs the language alone, bubblewrap for the rest. A components folder does not say who wrote it, and
 * most were written by a model: without bubblewrap the rest is refused, whatever command asks, unless the user accepts it.
 */
export async function openConfined({ choice = 'auto', allowUnsandboxed = false }: Confining): Promise<Sandbox> {
  if (choice === 'bubblewrap') return openBubblewrap();
  if (choice === 'quickjs') return openPureFirst(undefined);
  const rest = allowUnsandboxed ? openSandbox({ allowUnsandboxed }) : openBubblewrap();
  return openPureFirst(
    await rest.catch((error: unknown) => {
      if (error instanceof HarnessError && error.code === 'sandbox_unavailable') return undefined;
      throw error;
    }),
  );
}

async function openPureFirst(rest: Sandbox | undefined): Promise<Sandbox> {
  const { pureFirst } = await import('../adapters/quickjs/quickjs-or-process.ts');
  return pureFirst(rest);
}
