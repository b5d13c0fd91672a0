/** The command that starts the Python host, isolated from environment, user and installed packages. */
import type { Launch } from '../host-process.ts';
import type { Python } from './find-python.ts';
import { MAX_CHARS, memoryCapsFor, capped } from '../limits.ts';
import { PYTHON_HOST } from './host.ts';

/** The whole environment: sets have the same order in every process, so that replays give the same result. */
export const PYTHON_ENV = { PYTHONHASHSEED: '0' };

/** Interpreter and arguments; `root` is the folder's path where the host runs, `filter` what each fork puts on itself. */
export function pythonCommand({ executable }: Python, root: string, filter?: Buffer): string[] {
  const own = [root, String(MAX_CHARS), filter?.toString('hex') ?? ''];
  return [executable, '-s', '-S', '-B', '-X', 'utf8', '-c', PYTHON_HOST, ...own];
}

/** Python has no permission model: without bubblewrap only the caps apply. */
export function barePythonLaunch(python: Python, prlimit: string | undefined, dir: string): Launch {
  const [file = '', ...args] = pythonCommand(python, dir);
  return {
    ...capped(prlimit, { memoryMb: memoryCapsFor(dir).pythonMb, withShared: true }, { file, args }),
    cwd: dir,
    env: PYTHON_ENV,
  };
}
