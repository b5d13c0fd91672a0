/** An image without Docker: programs in an empty root see nothing else of this machine. */
import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type Image = { root: string; workdir: string; python: boolean };
export type Ended = { code: number; stdout: string; stderr: string };

/** What the base image brings along: a shell and its tools, Node, and Python where the Dockerfile installs it. */
async function base(python: boolean): Promise<string[]> {
  const node = await realpath(process.execPath);
  const own = ['--ro-bind', node, '/usr/local/bin/node'];
  const system = ['/usr/bin', '/usr/lib', '/usr/lib64'].flatMap((path) => ['--ro-bind-try', path, path]);
  const links = ['bin', 'lib', 'lib64'].flatMap((name) => ['--ro-bind-try', `/usr/${name}`, `/${name}`]);
  if (!python) return [...system, ...links, ...own];
  const ask = 'import os, sys; print(sys.base_prefix, os.path.realpath(sys.executable))';
  const [prefix = '', executable = ''] = (await run('python3', ['-c', ask])).stdout.trim().split(' ');
  const python3 = ['--ro-bind', executable, '/usr/local/bin/python3', '--ro-bind', `${prefix}/lib`, `${prefix}/lib`];
  return [...system, ...links, ...own, ...(prefix === '/usr' ? [] : python3)];
}

/** `mounts`: folders of this machine -> where they are seen; `env`: variables, and with them the network. */
export type Entry = { mounts?: Readonly<Record<string, string>>; env?: Readonly<Record<string, string>> };

/** Without network, environment and files of this machine. */
export async function inImage(image: Image, command: readonly string[], entry: Entry = {}): Promise<Ended> {
  const { file, args } = await enterImage(image, command, entry);
  const child = run(file, args, { maxBuffer: 16 * 1024 ** 2 });
  return child.then(
    (done) => ({ code: 0, ...done }),
    (error: Ended) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
  );
}

/** The command that starts it there. */
export async function enterImage(
  { root, workdir, python }: Image,
  command: readonly string[],
  { mounts = {}, env }: Entry = {},
): Promise<{ file: string; args: string[] }> {
  const parts = await base(python);
  const args = [
    ...['--bind', root, '/', ...parts, '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...Object.entries(mounts).flatMap(([from, to]) => ['--ro-bind', from, to]),
    ...['--unshare-all', ...(env === undefined ? [] : ['--share-net'])],
    ...['--die-with-parent', '--clearenv', '--chdir', workdir],
    ...Object.entries(env ?? {}).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin', '--setenv', 'HOME', '/root'],
    ...['--', ...command],
  ];
  return { file: 'bwrap', args };
}
