/** Opens the sandbox for generated code: the user's choice, or the best of this machine. Whoever starts it, no code is trusted. */
import { pureFirst, pureFirstIn } from '../adapters/quickjs/quickjs-or-process.ts';
import type { SandboxChoice } from '../config/schema.ts';
import type { Home } from '../config/home.ts';
import { HarnessError } from '../errors.ts';
import { PLUGIN_PREFIX } from '../ports/plugins/plugins.ts';
import type { Sandbox } from '../ports/sandbox.ts';

export type Confining = {
  choice?: SandboxChoice | undefined;
  /** The user accepts code that cannot be confined on this machine: Node's permission model, or nothing. */
  allowUnsandboxed?: boolean | undefined;
  /** Whose plugins may be named; absent: none. */
  home?: Home | undefined;
  /** The folder of components that it is for: their hosts start at once, and bubblewrap only where one of them needs it. */
  folder?: string | undefined;
};

/**
 * QuickJS for what needs the language alone, bubblewrap for the rest. A components folder does not say who wrote it, and
 * most were written by a model: without bubblewrap the rest is refused, whatever command asks, unless the user accepts it.
 */
export async function openConfined(confining: Confining): Promise<Sandbox> {
  const { choice = 'auto', allowUnsandboxed = false, home, folder } = confining;
  if (choice.startsWith(PLUGIN_PREFIX))
    return openPlugin(choice.slice(PLUGIN_PREFIX.length), home, () => openConfined({ allowUnsandboxed }));
  if (choice === 'quickjs') return pureFirst(undefined);
  if (choice === 'bubblewrap') return (await import('../adapters/sandbox/open-sandbox.ts')).openBubblewrap();
  const openRest = (): Promise<Sandbox | undefined> => restOrNone(allowUnsandboxed);
  return folder === undefined ? pureFirst(await openRest()) : pureFirstIn(folder, openRest);
}

/** Undefined where nothing else can confine code on this machine. */
async function restOrNone(allowUnsandboxed: boolean): Promise<Sandbox | undefined> {
  const { openBubblewrap, openSandbox } = await import('../adapters/sandbox/open-sandbox.ts');
  const rest = allowUnsandboxed ? openSandbox({ allowUnsandboxed }) : openBubblewrap();
  return rest.catch((error: unknown) => {
    if (error instanceof HarnessError && error.code === 'sandbox_unavailable') return undefined;
    throw error;
  });
}

/** What it confines is its author's word: reports call it by the plugin's name. */
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
