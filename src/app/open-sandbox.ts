/** Opens the sandbox for generated code: the user's choice, or the best of this machine. No code is trusted, whoever starts it. */
import { pureFirst, pureFirstIn, pureFirstInBubblewrap } from '../adapters/quickjs/quickjs-or-process.ts';
import type { Config, SandboxChoice } from '../config/schema.ts';
import { HarnessError } from '../errors.ts';
import type { Sandbox } from '../ports/sandbox.ts';

export type ConfinedOptions = {
  choice?: SandboxChoice | undefined;
  /** True when the user accepts code that this machine cannot confine: Node's permission model, or nothing. */
  allowUnsandboxed?: boolean | undefined;
  /** The folder of components to run: their hosts start at once, and bubblewrap only when one of them needs it. */
  folder?: string | undefined;
};

/**
 * Opens QuickJS for components that need the language alone, and bubblewrap for the rest. Most components were written
 * by a model: without bubblewrap the rest is refused, whatever command asks, unless the user accepts it.
 */
export async function openConfined(confining: ConfinedOptions): Promise<Sandbox> {
  const { choice = 'auto', allowUnsandboxed = false, folder } = confining;
  if (choice === 'quickjs') return pureFirst(undefined);
  if (choice === 'bubblewrap') return openOnlyBubblewrap();
  const openRest = (): Promise<Sandbox | undefined> => restOrNone(allowUnsandboxed);
  return folder === undefined ? pureFirst(await openRest()) : pureFirstIn(folder, openRest);
}

async function openOnlyBubblewrap(): Promise<Sandbox> {
  const { openQuickjsInBubblewrap } = await import('../adapters/quickjs/quickjs-in-bubblewrap.ts');
  const { openBubblewrap } = await import('../adapters/sandbox/open-sandbox.ts');
  return pureFirstInBubblewrap(await openQuickjsInBubblewrap(), await openBubblewrap());
}

/** Opens the sandbox of the configuration at the first call, and the same one afterwards. */
export function openConfigured({ sandbox }: Pick<Config, 'sandbox'>): () => Promise<Sandbox> {
  const { use: choice, allow_unsandboxed: allowUnsandboxed } = sandbox;
  let opened: Promise<Sandbox> | undefined;
  return () => (opened ??= openConfined({ choice, allowUnsandboxed }));
}

/** Undefined when no other sandbox can confine code on this machine. */
async function restOrNone(allowUnsandboxed: boolean): Promise<Sandbox | undefined> {
  const { openBubblewrap, openSandbox } = await import('../adapters/sandbox/open-sandbox.ts');
  const rest = allowUnsandboxed ? openSandbox({ allowUnsandboxed }) : openBubblewrap();
  return rest.catch((error: unknown) => {
    if (error instanceof HarnessError && error.code === 'sandbox_unavailable') return undefined;
    throw error;
  });
}
