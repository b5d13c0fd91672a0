/** The command that starts the Python host, isolated from environment, user and installed packages. */
import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { buildLaunch, isVisible, type BubblewrapTools } from '../bubblewrap.ts';
import { readOwnText } from '../../../own-file.ts';
import type { Launch } from '../host-process.ts';
import type { Python } from './find-python.ts';
import { MAX_CHARS, memoryCapsFor, withProcessCaps } from '../limits.ts';
import { systemCallFilter } from '../seccomp.ts';
import type { VisibleFiles } from '../visible-files.ts';

/** One text, so that no file of the host has to be visible inside the sandbox. */
const PYTHON_HOST = joinModules(readOwnText('./host.py', import.meta.url), {
  fixed_clock: readOwnText('./fixed_clock.py', import.meta.url),
  generations: readOwnText('./generations.py', import.meta.url),
});

/** The whole environment: a fixed hash seed gives sets the same order in every process, so that replays agree. */
const PYTHON_ENV = { PYTHONHASHSEED: '0' };

/** Puts each module in the place of the line that imports it. */
function joinModules(program: string, modules: Readonly<Record<string, string>>): string {
  return Object.entries(modules).reduce(
    (text, [name, module]) => text.replace(new RegExp(`^from ${name} import .*$`, 'm'), () => module),
    program,
  );
}

/** Interpreter and arguments; `root` is the folder's path inside the sandbox, and each fork puts on `filter` itself. */
function pythonCommand({ executable }: Python, root: string, filter?: Buffer): string[] {
  const own = [root, String(MAX_CHARS), filter?.toString('hex') ?? ''];
  return [executable, '-s', '-S', '-B', '-X', 'utf8', '-c', PYTHON_HOST, ...own];
}

/** Python has no permission model: without bubblewrap only the caps apply. */
export function barePythonLaunch(python: Python, prlimit: string | undefined, dir: string): Launch {
  const [file = '', ...args] = pythonCommand(python, dir);
  return {
    ...withProcessCaps(prlimit, { memoryMb: memoryCapsFor(dir).pythonMb, withShared: true }, { file, args }),
    cwd: dir,
    env: PYTHON_ENV,
  };
}

/** Like the launch of Node, with Python's standard library in its usual place, and without installed packages. */
export function bubblewrapPythonLaunch(
  { python, ...tools }: BubblewrapTools & { python: Python },
  view: VisibleFiles,
  isolation: readonly string[],
): Launch {
  const { executable, libraries, packages } = python;
  const mounts = [
    ...Object.entries(PYTHON_ENV).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(isVisible(libraries) ? [] : ['--ro-bind', libraries, libraries]),
    ...(packages.startsWith(libraries + sep) && existsSync(packages) ? ['--tmpfs', packages] : []),
    ...(isVisible(executable) ? [] : ['--ro-bind', executable, executable]),
  ];
  const command = pythonCommand(python, '/components', systemCallFilter('none'));
  const memoryMb = memoryCapsFor(view.dir).pythonMb;
  const filter = systemCallFilter('forks');
  return buildLaunch(tools, view, { isolation, mounts, command, filter, caps: { memoryMb, withShared: true } });
}
