/** The command that starts the Python host, isolated from environment, user and installed packages. */
import type { Launch } from './host-process.ts';
import type { Python } from './find-python.ts';
import { MAX_CHARS, memoryCapsFor, capped } from './limits.ts';
import { PYTHON_HOST } from './python-host.ts';

/** The whole environment: sets have the same order in every process, so that replays give the same result. */
export const PYTHON_ENV = { PYTHONHASHSEED: '0' };

/** Interpreter and arguments; `root` is the folder's path where the host runs. */
export function pythonCommand({ executable }: Python, root: string): string[] {
  return [executable, '-s', '-S', '-B', '-X', 'utf8', '-c', PYTHON_HOST, root, String(MAX_CHARS)];
}

/** Python has no permission model: without bubblewrap only the caps apply. */
export function barePythonLaunch(python: Python, prlimit: string | undefined, dir: string): Launch {
  const [file = '', ...args] = pythonCommand(python, dir);
  return { ...capped(prlimit, memoryCapsFor(dir).pythonMb, { file, args }), cwd: dir, env: PYTHON_ENV };
}
