/** The command that starts the Python host: isolated from environment, user and installed packages. */
import type { Launch } from './host-process.ts';
import type { Python } from './find-python.ts';
import { MAX_CHARS, memoryCapsFor, prlimitArgs } from './limits.ts';
import { PYTHON_HOST } from './python-host.ts';

/** All of the environment: a set is in the same order in every process, so that what is replayed comes out the same. */
export const PYTHON_ENV = { PYTHONHASHSEED: '0' };

/** Interpreter and arguments for a folder of components, as it is named where the host runs. */
export function pythonCommand({ executable }: Python, root: string): string[] {
  return [executable, '-s', '-S', '-B', '-X', 'utf8', '-c', PYTHON_HOST, root, String(MAX_CHARS)];
}

/** Python has no permission model of its own: without bubblewrap nothing but the caps holds it. */
export function barePythonLaunch(python: Python, prlimit: string | undefined, dir: string): Launch {
  const [file = '', ...args] = pythonCommand(python, dir);
  if (prlimit === undefined) return { file, args, cwd: dir, env: PYTHON_ENV };
  return {
    env: PYTHON_ENV,
    file: prlimit,
    args: [...prlimitArgs(memoryCapsFor(dir).pythonMb), file, ...args],
    cwd: dir,
  };
}
