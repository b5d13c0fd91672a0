/** Python is found or its absence is told, and it is run behind walls or not at all. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPython } from '../../../src/adapters/sandbox/python/find-python.ts';
import { findProgram } from '../../../src/adapters/sandbox/find-program.ts';
import { openBubblewrap, openNodePermission } from '../../../src/adapters/sandbox/open-sandbox.ts';
import { systemCallFilter } from '../../../src/adapters/sandbox/seccomp.ts';
import { scratch } from '../../support/scratch.ts';

const { signal } = new AbortController();

async function program(text: string): Promise<string> {
  const path = join(await scratch(), 'python3');
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
  return path;
}
async function componentsFolder(): Promise<string> {
  const dir = await scratch();
  await mkdir(join(dir, 'tools'));
  await writeFile(join(dir, 'tools/a.py'), 'def run():\n    return 1\n');
  await writeFile(join(dir, 'tools/b.mjs'), 'export const run = () => 2;');
  return dir;
}

describe('python3', () => {
  test('is asked for its own place, so that a shim leads to the interpreter', async () => {
    const found = await findPython();
    expect(found.executable).toMatch(/^\/.*python3/);
    expect(found.version).toMatch(/^3\./);
  });

  test('that is missing, too old or broken is told in one message that says how to get it', async () => {
    await expect(findPython([])).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      message: /Install it \(apt-get install python3/,
    });
    const old = await program(`echo '{"executable":"/x","version":"3.6.2","libraries":"/x","packages":"/x"}'`);
    const broken = await program('exit 3');
    await expect(findPython([old, broken])).rejects.toThrow(/Python 3.9 or newer is needed.*Command failed/s);
  });

  test('without bubblewrap is refused, and JavaScript is not', async () => {
    const sandbox = await openNodePermission();
    const session = await sandbox.open(await componentsFolder());
    await expect(
      session.call({ module: 'tools/a.py', name: 'run', args: [], timeoutMs: 5000 }, signal),
    ).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      message: /bubblewrap only/,
    });
    expect(await session.call({ module: 'tools/b.mjs', name: 'run', args: [], timeoutMs: 5000 }, signal)).toMatchObject(
      { ok: true, value: 2 },
    );
    await session.close();
  });

  test('without bubblewrap runs when the user accepts the risk, which then stands in the name of the sandbox', async () => {
    const sandbox = await openNodePermission({ allowUnsandboxed: true });
    const session = await sandbox.open(await componentsFolder());
    expect(await session.call({ module: 'tools/a.py', name: 'run', args: [], timeoutMs: 5000 }, signal)).toMatchObject({
      ok: true,
      value: 1,
    });
    await session.close();
    expect(sandbox.kind).toContain('Python unconfined');
    expect(sandbox.gaps.join('; ')).toContain('Python run with your rights');
  });
});

// All of them: test/slow/walls.test.ts.
test.skipIf(findProgram('bwrap') === undefined && process.env['CI'] === undefined)(
  'a call in Python finds nothing of the calls before it, nor of its folder what is not its own',
  async () => {
    const dir = await scratch();
    for (const folder of ['tools', 'samples']) await mkdir(join(dir, folder));
    await writeFile(join(dir, 'samples/gold.json'), '{}');
    const text = `
import builtins, decimal, os
calls = 0
def run():
    global calls
    calls += 1
    seen = [calls, decimal.getcontext().prec, hasattr(builtins, 'left'), os.getcwd(), os.getpid(), 'LEFT' in os.environ]
    builtins.left = os.environ['LEFT'] = '1'
    decimal.getcontext().prec = 3
    os.chdir('/')
    return seen + [sorted(os.listdir('/components'))]
`;
    await writeFile(join(dir, 'tools/a.py'), text);
    await writeFile(join(dir, 'tools/other.py'), '');
    const session = await (await openBubblewrap()).open(dir);
    for (let time = 0; time < 3; time += 1)
      expect(
        await session.call({ module: 'tools/a.py', name: 'run', args: [], timeoutMs: 5000 }, signal),
      ).toMatchObject({ value: [1, 28, false, '/components', 0, false, []] });
    await session.close();
  },
);

test('the filter on system calls is made for the machines whose numbers are known', () => {
  const [x64, arm64] = [systemCallFilter('none', 'x64'), systemCallFilter('threads', 'arm64')];
  expect(x64?.length).toBeGreaterThan(300);
  expect((x64?.length ?? 1) % 8).toBe(0);
  expect(arm64?.length).not.toBe(x64?.length);
  expect(systemCallFilter('none', 'riscv64')).toBeUndefined();
});
