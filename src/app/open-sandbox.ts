/** Opens the sandbox for generated code: the user's choice, or the best of this machine. No code is trusted, whoever starts it. */
import { pureFirst, pureFirstIn } from '../adapters/quickjs/quickjs-or-process.ts';
import type { SandboxChoice } from '../config/schema.ts';
import type { Home } from '../config/home.ts';
import { HarnessError } from '../errors.ts';
import { PLUGIN_PREFIX } from '../ports/plugins/plugins.ts';
import type { Sandbox } from '../ports/sandbox.ts';

export type ConfinedOptions = {
  choice?: SandboxChoice | undefined;
  /** True when the user accepts code that this machine cannot confine: Node's permission model, or nothing. */
  allowUnsandboxed?: boolean | undefined;
  /** The home whose plugins may be named; absent: none. */
  home?: Home | undefined;
  /** The folder of components to run: their hosts start at once, and bubblewrap only when one of them needs it. */
  folder?: string | undefined;
};

/**
 * Opens QuickJS for components that need the language alone, and bubblewrap for the rest. Most components were written
 * by a model: without bubblewrap the rest is refused, whatever command asks, unless the user accepts it.
 */
export async function openConfined(confining: ConfinedOptions): Promise<Sandbox> {
  const { choice = 'auto', allowUnsandboxed = false, home, folder } = confining;
  if (choice.startsWith(PLUGIN_PREFIX))
    return openPlugin(choice.slice(PLUGIN_PREFIX.length), home, () => openConfined({ allowUnsandboxed }));
  if (choice === 'quickjs') return pureFirst(undefined);
  if (choice === 'bubblewrap') return (await import('../adapters/sandbox/open-sandbox.ts')).openBubblewrap();
  const openRest = (): Promise<Sandbox | undefined> => restOrNone(allowUnsandboxed);
  return folder === undefined ? pureFirst(await openRest()) : pureFirstIn(folder, openRest);
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

/** Its isolation is what its author claims, so reports call it by the plugin's name. */
async function openPlugin(name: string, home: Home | undefined, shipped: () => Promise<Sandbox>): Promise<Sandbox> {
  if (home === undefined)
    throw new HarnessError('sandbox_unavailable', `${PLUGIN_PREFIX}${name}: no plugins are open here.`);
  const { findPlugin, loadPlugins } = await import('../config/load-plugins.ts');
  const plugins = await loadPlugins(home);
  const open = findPlugin(plugins, { kind: 'sandboxes', name }, 'sandbox.use');
  const fault = (error: unknown): never => {
    throw plugins.fault('sandboxes', name, error);
  };
  const { kind, gaps, ...opened } = await (async () => open(shipped))().catch(fault);
  if (typeof opened.open !== 'function') return fault(new Error('it has to give { kind, gaps, open }'));
  return {
    kind: `${PLUGIN_PREFIX}${name} (${kind})`,
    gaps: Array.isArray(gaps) ? gaps.map(String) : [],
    open: async (dir) => opened.open(dir).catch(fault),
  };
}
