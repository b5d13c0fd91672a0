/** The same hosts as ever, behind the walls that `@anthropic-ai/sandbox-runtime` builds: for systems that it knows and we do not. */
import { readdirSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sandbox, SandboxSession } from '../../ports/sandbox.ts';
import { findProgram } from '../sandbox/find-program.ts';
import { findPython } from '../sandbox/find-python.ts';
import { HOST_FILES } from '../sandbox/host-files.ts';
import { startHost, type HostProcess, type Launch } from '../sandbox/host-process.ts';
import { nodePermissionLaunch } from '../sandbox/node-permission.ts';
import { barePythonLaunch } from '../sandbox/python-launch.ts';
import { createSandboxSession } from '../sandbox/sandbox-session.ts';
import { loadRuntime, type Runtime } from './load-runtime.ts';

/** Where its own helpers lie, which have to be seen inside. */
const helpers = (): string =>
  join(dirname(fileURLToPath(import.meta.resolve('@anthropic-ai/sandbox-runtime'))), '..', 'vendor');

/** What programs need of a system; everything else at its root is denied, because reads are open unless they are. */
const NEEDED = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'usr', 'dev', 'proc', 'System', 'Library', 'private'];

/** It counts for the whole process: set up by the first session, taken down by the last. */
let sessions = 0;

/** Rejects with `sandbox_unavailable` when the package, or what it needs, is not installed. */
export async function openRuntime(): Promise<Sandbox> {
  const runtime = await loadRuntime();
  return {
    kind: 'sandbox-runtime',
    gaps: [
      'the name of the machine, its programs and libraries, and the names of the folders on the way can be read',
      'sockets can be made, in a network of their own that leads nowhere',
      'components in Python can start programs and processes, behind the same walls, and read installed packages',
    ],
    open: async (dir) => {
      const real = await realpath(dir);
      if (sessions === 0) await runtime.initialize(rules([]));
      sessions += 1;
      const start = { javascript: () => startNode(runtime, real), python: () => startPython(runtime, real) };
      return closing(createSandboxSession(real, start), runtime);
    },
  };
}

function closing(session: SandboxSession, runtime: Runtime): SandboxSession {
  let isOpen = true;
  return {
    ...session,
    async close() {
      await session.close();
      if (!isOpen) return;
      isOpen = false;
      sessions -= 1;
      runtime.cleanupAfterCommand();
      if (sessions === 0) await runtime.reset();
    },
  };
}

async function startNode(runtime: Runtime, dir: string): Promise<HostProcess> {
  const tools = { prlimit: findProgram('prlimit'), node: process.execPath, ...HOST_FILES };
  const launch = await nodePermissionLaunch(tools, dir);
  const read = Object.values(HOST_FILES).filter((file) => file !== undefined);
  return startHost(await behind(runtime, launch, [dir, process.execPath, ...read]));
}

async function startPython(runtime: Runtime, dir: string): Promise<HostProcess> {
  const python = await findPython();
  const launch = barePythonLaunch(python, findProgram('prlimit'), dir);
  return startHost(await behind(runtime, launch, [dir, python.executable, python.libraries]));
}

/** `readable` may be read; nothing may be written, and no address reached. */
async function behind(
  runtime: Runtime,
  { file, args, cwd, env = {} }: Launch,
  readable: readonly string[],
): Promise<Launch> {
  const paths = await Promise.all(readable.map((path) => realpath(path)));
  const command = await runtime.wrapWithSandbox(
    [file, ...args].map(quoted).join(' '),
    'sh',
    rules([...paths, helpers()]),
  );
  return { file: '/bin/sh', args: ['-c', command], cwd, env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...env } };
}

function rules(allowRead: string[]) {
  const denyRead = readdirSync('/')
    .filter((name) => !NEEDED.includes(name))
    .map((name) => `/${name}`);
  return {
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead, allowRead, allowWrite: [], denyWrite: [] },
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
