/** Tries one attack of the corpus in a sandbox: on a fresh ground, because what one has destroyed must be there for the next. */
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createSocket } from 'node:dgram';
import { createServer as createHttp, type Server } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../../src/ports/sandbox.ts';
import type { Attack, Target } from './attack-table.ts';

export const FILES = { javascript: 'attacks.mjs', python: 'attacks.py' };
const closing: (() => unknown)[] = [];

/** Ends every server and removes every ground. */
export async function closeTargets(): Promise<void> {
  for (const close of closing.splice(0).toReversed()) await close();
}

export async function openTarget(): Promise<Target> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'attacks-')));
  closing.push(() => rmSync(root, { recursive: true, force: true }));
  const tools = join(root, 'components/tools');
  mkdirSync(tools, { recursive: true });
  for (const name of Object.values(FILES)) copyFileSync(join(import.meta.dirname, name), join(tools, name));
  writeFileSync(join(root, 'secret.txt'), 'the secret');
  writeFileSync(join(root, 'outside.mjs'), 'export const outside = "reached";');
  for (const name of ['victim', 'doomed']) writeFileSync(join(tools, `${name}.json`), '{}', { mode: 0o644 });
  symlinkSync(join(root, 'secret.txt'), join(tools, 'link.txt'));
  symlinkSync(root, join(tools, 'up'));
  const socket = join(root, 'socket');
  const [http] = [
    await listening(
      createHttp((_request, response) => response.end('reached')),
      0,
    ),
  ];
  await listening(createServer(), socket);
  await listening(createServer(), `\0${root}`);
  const udp = createSocket('udp4');
  closing.push(() => udp.close());
  await new Promise<void>((done) => udp.bind(0, '127.0.0.1', () => done()));
  return {
    dir: join(root, 'components'),
    root,
    secret: join(root, 'secret.txt'),
    port: http,
    udpPort: udp.address().port,
    socket,
  };
}

async function listening(server: Server | ReturnType<typeof createServer>, at: number | string): Promise<number> {
  closing.push(() => new Promise((done) => server.close(done)));
  await new Promise<void>((done) =>
    typeof at === 'number' ? server.listen(at, '127.0.0.1', done) : server.listen(at, done),
  );
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Whether it has succeeded. */
export async function succeedsIn(
  sandbox: Sandbox,
  { language, steps, timeoutMs = 10_000, succeeded }: Attack,
  target: Target,
): Promise<boolean> {
  const session = await sandbox.open(target.dir);
  const { signal } = new AbortController();
  try {
    let last: unknown;
    for (const [name, args] of steps(target)) {
      last = await session.call({ module: `tools/${FILES[language]}`, name, args, timeoutMs }, signal);
    }
    const outcome = last as Awaited<ReturnType<typeof session.call>>;
    return outcome.ok && (succeeded?.(outcome.value, target) ?? true);
  } finally {
    await session.close();
  }
}
