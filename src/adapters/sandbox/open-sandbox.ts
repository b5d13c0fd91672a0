/** Finds out once which walls hold on this machine, and opens sessions behind the best of them. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HarnessError, messageOf } from '../../errors.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import { bubblewrapLaunch, bubblewrapPythonLaunch } from './bubblewrap.ts';
import { findProgram } from './find-program.ts';
import { findPython, type Python } from './find-python.ts';
import { startHost, type Launch } from './host-process.ts';
import { nodeLaunch, nodePermissionLaunch } from './node-permission.ts';
import { barePythonLaunch } from './python-launch.ts';
import { createSession } from './session.ts';

/** Beside this file with the same ending: `host.ts` in the checkout, `host.js` in the package. */
const HOST = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './host.ts' : './host.js', import.meta.url));

export type SandboxOptions = { allowUnsandboxed?: boolean };

/**
 * `bubblewrap` where it is installed and really works, else Node's permission model alone; its gaps say what is missing.
 * Where not even that holds, a bare child process if the user allows it, else `sandbox_unavailable`.
 */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const refusals: string[] = [];
  for (const open of [openBubblewrap, () => openNodePermission(options)]) {
    const sandbox = await open().catch((error: unknown) => void refusals.push(messageOf(error)));
    if (sandbox !== undefined) return sandbox;
  }
  if (options.allowUnsandboxed === true) return openBareProcess();
  throw new HarnessError(
    'sandbox_unavailable',
    `Generated code cannot be confined on this machine. Install bubblewrap (package "bubblewrap"), or accept the risk with --allow-unsandboxed. ${refusals.join(' ')}`,
  );
}

/** Rejects with `sandbox_unavailable` when bwrap is missing or the kernel does not let it work. */
export async function openBubblewrap(): Promise<Sandbox> {
  const bwrap = findProgram('bwrap');
  if (bwrap === undefined) throw new HarnessError('sandbox_unavailable', 'bwrap is not installed.');
  const tools = { bwrap, prlimit: findProgram('prlimit'), node: process.execPath, host: HOST };
  // Since 0.8 bwrap can also forbid new user namespaces inside; older ones do not know the option.
  const strict = ['--disable-userns'];
  const walls = await probe((dir) => bubblewrapLaunch(tools, dir, strict)).then(
    () => strict,
    async () => {
      await probe((dir) => bubblewrapLaunch(tools, dir, []));
      return [];
    },
  );
  const python = onceFound(() => findPython());
  return {
    kind: 'bubblewrap',
    gaps: memoryGaps(tools.prlimit),
    open: async (dir) => {
      const real = await realpath(dir);
      return createSession(real, {
        javascript: bubblewrapLaunch(tools, real, walls),
        python: async () => bubblewrapPythonLaunch(tools, await python(), real, walls),
      });
    },
  };
}

/** Rejects with `sandbox_unavailable` when this Node has no permission model. */
export async function openNodePermission({ allowUnsandboxed = false }: SandboxOptions = {}): Promise<Sandbox> {
  const tools = { prlimit: findProgram('prlimit'), node: process.execPath, host: HOST };
  await probe((dir) => nodePermissionLaunch(tools, dir));
  const stopsNetwork = process.allowedNodeEnvironmentFlags.has('--allow-net');
  const python = onceFound(allowUnsandboxed ? () => findPython() : refusePython);
  return {
    kind: allowUnsandboxed ? 'node-permission, Python unconfined' : 'node-permission',
    gaps: [
      ...(stopsNetwork ? [] : ['the network is not stopped']),
      'signals to other processes are not stopped',
      ...(allowUnsandboxed ? ['components in Python run with your rights'] : []),
      ...memoryGaps(tools.prlimit),
    ],
    open: async (dir) => {
      const real = await realpath(dir);
      return createSession(real, {
        javascript: await nodePermissionLaunch(tools, real),
        python: async () => barePythonLaunch(await python(), tools.prlimit, real),
      });
    },
  };
}

/** No walls at all: only the time, the size and the environment are held. */
export function openBareProcess(): Sandbox {
  const tools = { prlimit: findProgram('prlimit'), node: process.execPath, host: HOST };
  const python = onceFound(() => findPython());
  return {
    kind: 'child-process',
    gaps: ['files, network, processes and signals are not stopped: the code runs with your rights'],
    open: async (dir) => {
      const real = await realpath(dir);
      return createSession(real, {
        javascript: nodeLaunch(tools, real, []),
        python: async () => barePythonLaunch(await python(), tools.prlimit, real),
      });
    },
  };
}

function refusePython(): Promise<never> {
  throw new HarnessError(
    'sandbox_unavailable',
    'Components in Python can be confined by bubblewrap only, and it does not work on this machine. Install it (package ' +
      '"bubblewrap"), have the components written in JavaScript, or accept the risk with --allow-unsandboxed.',
  );
}

/** Looked for when the first component in Python is called, and not again once it is found. */
function onceFound(find: () => Promise<Python>): () => Promise<Python> {
  let found: Promise<Python> | undefined;
  return async () => {
    found ??= find();
    return found.catch((error: unknown) => {
      found = undefined;
      throw error;
    });
  };
}

function memoryGaps(prlimit: string | undefined): string[] {
  return prlimit === undefined
    ? ['memory outside of the JavaScript heap is not capped (prlimit is not installed)']
    : [];
}

/** The real thing on an empty folder: only a host that has answered proves that the walls can be built here. */
async function probe(launch: (dir: string) => Launch | Promise<Launch>): Promise<void> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'tandem-probe-')));
  try {
    const host = await startHost(await launch(dir));
    await host.kill();
  } finally {
    rmSync(dir, { recursive: true });
  }
}
