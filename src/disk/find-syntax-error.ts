/** Finds the line of a syntax error in a file of code. */
import { execFile } from 'node:child_process';

/** Returns for example `tools/x.mjs:12`. `node --check` parses the file and never runs it. */
export function findSyntaxError(dir: string, module: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { cwd: dir, env: {}, timeout: 5000 };
    execFile(process.execPath, ['--check', module], options, (_error, _stdout, stderr) => {
      const line = /^\S.*:(\d+)$/m.exec(stderr)?.[1];
      resolve(line === undefined ? undefined : `${module}:${line}`);
    });
  });
}
