/** Every attack of the corpus succeeds in a process without walls and fails in the sandbox (0 of them get out). */
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createSocket } from 'node:dgram';
import { createServer as createHttp, type Server } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBubblewrap } from '../../src/adapters/sandbox/open-sandbox.ts';
import type { Sandbox } from '../../src/ports/sandbox.ts';
import { ATTACKS, type Attack, type Target } from '../adapters/sandbox/attack-table.ts';
import { runBare } from '../adapters/sandbox/bare-process.ts';

const SOURCES = join(import.meta.dirname, '../adapters/sandbox');
const FILES = { javascript: 'attacks.mjs', python: 'attacks.py' };
const closing: (() => unknown)[] = [];
let target: Target;
let sandbox: Sandbox;

beforeAll(async () => {
  process.env['SANDBOX_TEST_KEY'] = 'sk-ant-secret';
  sandbox = await openBubblewrap();
});
afterAll(async () => {
  delete process.env['SANDBOX_TEST_KEY'];
  for (const close of closing.toReversed()) await close();
});

/** A fresh ground: what one attack has destroyed is there again for the next. */
async function ground(): Promise<Target> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'attacks-')));
  closing.push(() => rmSync(root, { recursive: true, force: true }));
  const tools = join(root, 'components/tools');
  mkdirSync(tools, { recursive: true });
  for (const name of Object.values(FILES)) copyFileSync(join(SOURCES, name), join(tools, name));
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

async function inSandbox({ language, steps, timeoutMs = 10_000, succeeded }: Attack): Promise<boolean> {
  const session = await sandbox.open(target.dir);
  const { signal } = new AbortController();
  try {
    let last: unknown;
    for (const [name, args] of steps(target)) {
      last = await session.call(`tools/${FILES[language]}`, name, args, timeoutMs, signal);
    }
    const outcome = last as Awaited<ReturnType<typeof session.call>>;
    return outcome.ok && (succeeded?.(outcome.value, target) ?? true);
  } finally {
    await session.close();
  }
}

describe(`${ATTACKS.length} attacks`, () => {
  test('are at least forty, in both languages', () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(40);
    expect(new Set(ATTACKS.map(({ language, title }) => `${language} ${title}`)).size).toBe(ATTACKS.length);
  });

  test.each(ATTACKS.map((attack): [string, Attack] => [`${attack.language} ${attack.title}`, attack]))(
    '%s: not in the sandbox, but without it',
    async (_title, attack) => {
      target = await ground();
      expect(await inSandbox(attack), 'in the sandbox').toBe(false);
      const bare = await runBare(join(target.dir, 'tools', FILES[attack.language]), attack.steps(target));
      expect(bare).toMatchObject({ ok: true });
      expect(bare.ok && (attack.succeeded?.(bare.value, target) ?? true), 'without it').toBe(true);
    },
  );
});
