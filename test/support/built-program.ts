/** The program as the package holds it, built once for a suite: a start reads a few files instead of nearly a thousand. */
import { cp, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { shareFolder } from './share-folder.ts';

/** What a user of the package has beside `dist/`. */
const SHIPPED = ['agents', 'bin', 'config', 'package.json', 'prompts', 'scenarios', 'schemas', 'templates'];

/** The folder of a program that runs as an installed one does, with the packages of this checkout. */
export function builtProgram(): Promise<string> {
  return shareFolder('program', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'tandem-built-'));
    const [{ build }, { default: parts }] = await Promise.all([import('rolldown'), import('../../rolldown.config.ts')]);
    for (const part of [parts].flat())
      await build({ ...part, output: { ...[part.output].flat()[0], dir: join(dir, 'dist') } });
    const filter = (source: string): boolean => !/[/\\]runs$/.test(source);
    for (const name of SHIPPED) await cp(resolve(name), join(dir, name), { recursive: true, filter });
    await symlink(resolve('node_modules'), join(dir, 'node_modules'));
    // On the PATH under its own name, as for somebody who has installed it.
    await mkdir(join(dir, 'on-path'));
    await symlink('../bin/tandem.js', join(dir, 'on-path/tandem'));
    return dir;
  });
}
