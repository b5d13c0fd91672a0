/** Finds the Python that runs generated code. Python itself reports its path, because `python3` is often a shim. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { HarnessError } from '../../../errors.ts';
import { findPrograms } from '../find-program.ts';

/** Absolute paths of the interpreter, of the folder of its libraries, and of the folder of installed packages. */
export type Python = { executable: string; version: string; libraries: string; packages: string };

const ASK = `
import ctypes, json, os, sys, sysconfig
paths = sysconfig.get_paths()
print(json.dumps({'executable': os.path.realpath(sys.executable), 'version': '%d.%d.%d' % sys.version_info[:3],
  'libraries': os.path.join(os.path.realpath(sys.base_prefix), 'lib'), 'packages': os.path.realpath(paths['purelib'])}))
`;
const Answer = z.object({
  executable: z.string().min(1),
  version: z.string().regex(/^3\.(9|[1-9]\d)\.\d+$/, 'Python 3.9 or newer is needed'),
  libraries: z.string(),
  packages: z.string(),
});

/** Rejects with `sandbox_unavailable` and a remedy when no Python is new enough. */
export async function findPython(candidates: readonly string[] = findPrograms('python3')): Promise<Python> {
  const refusals: string[] = [];
  for (const path of candidates) {
    const found = await describePython(path).catch((error: unknown) => String(error).slice(0, 200));
    if (typeof found !== 'string') return found;
    refusals.push(`${path}: ${found}`);
  }
  throw new HarnessError(
    'sandbox_unavailable',
    'Components in Python need python3 (3.9 or newer), and none is on the PATH. Install it (apt-get install python3, ' +
      `dnf install python3, brew install python), or have the components written in JavaScript. ${refusals.join('; ')}`.trim(),
  );
}

async function describePython(path: string): Promise<Python | string> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
  const { stdout } = await promisify(execFile)(path, ['-I', '-S', '-c', ASK], { timeout: 10_000, env });
  const answer = Answer.safeParse(JSON.parse(stdout));
  return answer.success ? answer.data : answer.error.issues.map(({ message }) => message).join('; ');
}
