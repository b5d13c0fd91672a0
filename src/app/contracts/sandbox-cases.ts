/** The rules of every sandbox, for the minimum that a component needs: values, changed arguments, faults, time, and no way out of its folder. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox, SandboxOutcome } from '../../ports/sandbox.ts';
import type { ContractCase } from './contract-case.ts';

const MODULE = 'tools/counter.mjs';
const COUNTER = `
export const tool = { name: 'counter', list: [1, 2] };
export function add(input, world) { world.total += input.by; return { total: world.total }; }
export function fails() { throw new TypeError('no such order'); }
export function hangs() { for (;;); }
export function big() { return 'x'.repeat(6_000_000); }
export async function read(path) { return (await import('node:fs')).readFileSync(path, 'utf8'); }
export async function call(url) { return (await fetch(url)).status; }
`;

type Ask = (name: string, args?: unknown[], timeoutMs?: number) => Promise<SandboxOutcome>;
type Check = (ask: Ask, dir: string) => Promise<void>;

/** Tests plain JavaScript only; `tandem doctor` and the reports describe any further limits of a machine's sandbox. */
export function sandboxCases(open: () => Promise<Sandbox>): ContractCase[] {
  return Object.entries(CASES).map(([title, check]) => ({ title, run: () => runCase(open, check) }));
}

/** Runs on a fresh folder, with files in and around it that no component may see. */
async function runCase(open: () => Promise<Sandbox>, check: Check): Promise<void> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'sandbox-cases-')));
  await mkdir(join(dir, 'tools'));
  await writeFile(join(dir, MODULE), COUNTER);
  await writeFile(join(dir, 'secret.txt'), 'a secret of the samples');
  const session = await (await open()).open(dir);
  const { signal } = new AbortController();
  try {
    await check(
      (name, args = [], timeoutMs = 5000) => session.call({ module: MODULE, name, args, timeoutMs }, signal),
      dir,
    );
  } finally {
    await session.close();
    await rm(dir, { recursive: true });
  }
}

function assertFailed(outcome: SandboxOutcome, ...kinds: string[]): void {
  const isExpected = !outcome.ok && (kinds.length === 0 || kinds.includes(outcome.kind));
  assert.ok(isExpected, JSON.stringify(outcome).slice(0, 300));
}

const CASES: Readonly<Record<string, Check>> = {
  'an export that is no function is returned as it is': async (ask) =>
    assert.deepEqual(await ask('tool'), { ok: true, value: { name: 'counter', list: [1, 2] }, args: [] }),
  'the arguments come back as the function left them, and those of the caller stay as they are': async (ask) => {
    const world = { total: 1 };
    const outcome = await ask('add', [{ by: 2 }, world]);
    assert.deepEqual(outcome, { ok: true, value: { total: 3 }, args: [{ by: 2 }, { total: 3 }] });
    assert.deepEqual(world, { total: 1 });
  },
  'what the code throws is an outcome with its words, and the next call is answered': async (ask) => {
    const outcome = await ask('fails');
    assert.ok(!outcome.ok && outcome.kind === 'threw' && outcome.message.includes('no such order'));
    assert.ok((await ask('tool')).ok);
  },
  'code that never ends ends at its time': async (ask) => assertFailed(await ask('hangs', [], 1500), 'timeout'),
  'an answer of megabytes is refused': async (ask) => assertFailed(await ask('big'), 'too_large'),
  'no file beside the module can be read': async (ask, dir) =>
    assertFailed(await ask('read', [join(dir, 'secret.txt')])),
  'no file outside of the folder can be read': async (ask) => assertFailed(await ask('read', ['/etc/passwd'])),
  'no network can be reached, not even on this machine': assertNoNetwork,
  'a module that is not there is an outcome, and never an exception': async (ask, dir) => {
    await rm(join(dir, MODULE));
    assertFailed(await ask('tool'), 'bad_module');
  },
};

async function assertNoNetwork(ask: Ask): Promise<void> {
  let reached = 0;
  const server = createServer((socket) => {
    reached += 1;
    socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    assertFailed(await ask('call', [`http://127.0.0.1:${port}/`], 1500));
    assert.equal(reached, 0);
  } finally {
    server.close();
  }
}
