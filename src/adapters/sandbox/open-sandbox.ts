/** Finds the best isolation that works on this machine, and opens sandbox sessions with it. */
import { realpath } from 'node:fs/promises';
import { rememberSuccess } from '../../disk/serial-queue.ts';
import { inTemporaryFolder } from '../../disk/temporary-folder.ts';
import { HarnessError, describeError } from '../../errors.ts';
import type { Sandbox, OpenSandbox } from '../../ports/sandbox.ts';
import { bubblewrapLaunch } from './bubblewrap.ts';
import { findProgram } from './find-program.ts';
import { HOST_FILES, preparePlainHost } from './host-files.ts';
import type { Python } from './python/find-python.ts';
import { startHost, type Launch } from './host-process.ts';
import { nodeLaunch, nodePermissionLaunch } from './node-permission.ts';
import type { ModuleLanguage } from './module-file.ts';
import { createSandboxSession, type HostKind } from './sandbox-session.ts';
import { foldersFor, visibleTo, type VisibleFiles } from './visible-files.ts';

type SandboxOptions = { allowUnsandboxed?: boolean };

/**
 * Opens `bubblewrap` where it is installed and works, else Node's permission model, whose gaps are listed. Where
 * neither works: a bare child process if the user allows it, else `sandbox_unavailable`.
 */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const refusals: string[] = [];
  for (const open of [openBubblewrap, () => openNodePermission(options)]) {
    const sandbox = await open().catch((error: unknown) => void refusals.push(describeError(error)));
    if (sandbox !== undefined) return sandbox;
  }
  if (options.allowUnsandboxed === true) return openBareProcess();
  const message = `Generated code cannot be confined on this machine. Install bubblewrap (package "bubblewrap"), or accept the risk with --allow-unsandboxed. ${refusals.join(' ')}`;
  throw new HarnessError('sandbox_unavailable', message);
}

/** Each call of JavaScript runs in a process of its own. Rejects with `sandbox_unavailable` like `proveBubblewrap`. */
export async function openBubblewrap(): Promise<Sandbox> {
  const { tools, isolation, gaps } = await proveBubblewrap();
  const python = rememberSuccess(findAnyPython);
  return {
    kind: 'bubblewrap',
    gaps,
    open: (dir) =>
      sessionOn(dir, {
        javascript: (view) => bubblewrapLaunch(tools, view, isolation),
        python: async (view) =>
          (await pythonLaunches()).bubblewrapPythonLaunch({ ...tools, python: await python() }, view, isolation),
      }),
  };
}

/** Rejects with `sandbox_unavailable` when bwrap is missing or the kernel does not let it work. */
export async function proveBubblewrap() {
  const bwrap = findProgram('bwrap');
  if (bwrap === undefined) throw new HarnessError('sandbox_unavailable', 'bwrap is not installed.');
  const tools = { bwrap, ...(await ownTools()) };
  const key = [bwrap, tools.node, tools.prlimit].join('\0');
  const prove = proofs.get(key) ?? rememberSuccess(() => proveIsolation(tools));
  proofs.set(key, prove);
  const isolation = await prove();
  return { tools, isolation, gaps: memoryGaps(tools.prlimit) };
}

/** A proof about this machine holds for the life of the process; a refusal is tried again. */
const proofs = new Map<string, () => Promise<readonly string[]>>();

/** Since version 0.8 bwrap can also forbid new user namespaces inside; older versions do not know the option. */
async function proveIsolation(tools: Parameters<typeof bubblewrapLaunch>[0]): Promise<readonly string[]> {
  const proven = async (isolation: readonly string[]) => {
    await proveHost((dir) => bubblewrapLaunch(tools, { dir, visible: [] }, isolation));
    return isolation;
  };
  return proven(['--disable-userns'])
    .catch(() => proven([]))
    .catch((error: unknown) => {
      throw new HarnessError('sandbox_unavailable', `bwrap does not work here: ${describeError(error)}`);
    });
}

/** Rejects with `sandbox_unavailable` when this Node has no permission model. */
export async function openNodePermission({ allowUnsandboxed = false }: SandboxOptions = {}): Promise<Sandbox> {
  const tools = await ownTools();
  await proveHost((dir) => nodePermissionLaunch(tools, { dir, visible: [] }));
  const stopsNetwork = process.allowedNodeEnvironmentFlags.has('--allow-net');
  const python = rememberSuccess(allowUnsandboxed ? findAnyPython : refusePython);
  return {
    kind: allowUnsandboxed ? 'node-permission, Python unconfined' : 'node-permission',
    gaps: [
      ...(stopsNetwork ? [] : ['the network is not stopped']),
      'signals to other processes are not stopped',
      ...(allowUnsandboxed ? ['components in Python run with your rights'] : []),
      ...memoryGaps(tools.prlimit),
    ],
    open: (dir) =>
      sessionOn(dir, {
        javascript: (view) => nodePermissionLaunch(tools, view),
        python: async (view) => (await pythonLaunches()).barePythonLaunch(await python(), tools.prlimit, view.dir),
      }),
  };
}

/** Opens a sandbox without isolation: only time, size and environment are limited. */
export function openBareProcess(): Sandbox {
  const tools = { ...findTools(), ...HOST_FILES };
  const python = rememberSuccess(findAnyPython);
  return {
    kind: 'child-process',
    gaps: ['files, network, processes and signals are not stopped: the code runs with your rights'],
    open: (dir) =>
      sessionOn(dir, {
        javascript: (view) => nodeLaunch(tools, view.dir, []),
        python: async (view) => (await pythonLaunches()).barePythonLaunch(await python(), tools.prlimit, view.dir),
      }),
  };
}

function findTools() {
  return { prlimit: findProgram('prlimit'), node: process.execPath };
}

async function ownTools() {
  return { ...findTools(), ...(await preparePlainHost()) };
}

type Launches = Readonly<Record<ModuleLanguage, (view: VisibleFiles) => Launch | Promise<Launch>>>;

/**
 * Opens one JavaScript host for each component, which answers once, and one Python host each for tools and checkers,
 * which forks itself for each answer and sees a component only as text in the question.
 */
async function sessionOn(dir: string, launches: Launches): Promise<OpenSandbox> {
  const real = await realpath(dir);
  const javascript: HostKind = {
    start: async (module) =>
      startHost(await launches.javascript({ dir: real, visible: await visibleTo(real, module) })),
    roomOf: (module) => module,
    once: true,
  };
  const python: HostKind = {
    start: async (module) => startHost(await launches.python({ dir: real, visible: await foldersFor(real, module) })),
    roomOf: (module) => module.split('/')[0] ?? '',
    once: false,
    withSource: true,
  };
  return createSandboxSession(real, { javascript, python });
}

/** Loaded only for components in Python, like the code that finds Python. */
function pythonLaunches(): Promise<typeof import('./python/launch.ts')> {
  return import('./python/launch.ts');
}

async function findAnyPython(): Promise<Python> {
  const { findPython } = await import('./python/find-python.ts');
  return findPython();
}

function refusePython(): Promise<never> {
  throw new HarnessError(
    'sandbox_unavailable',
    'Components in Python can be confined by bubblewrap only, and it does not work on this machine. Install it (package ' +
      '"bubblewrap"), have the components written in JavaScript, or accept the risk with --allow-unsandboxed.',
  );
}

function memoryGaps(prlimit: string | undefined): string[] {
  return prlimit === undefined
    ? ['memory outside of the JavaScript heap is not capped (prlimit is not installed)']
    : [];
}

/** Starts the host once on an empty folder, because only an answer proves that the isolation works here. */
async function proveHost(launch: (dir: string) => Launch | Promise<Launch>): Promise<void> {
  await inTemporaryFolder('probe', async (dir) => {
    const host = await startHost(await launch(dir));
    await host.kill();
  });
}
