/** The attacks that every sandbox has to stop; the bubblewrap suite adds those that only a kernel can. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/ports/sandbox.ts';
import { openGround, processesNaming, type Ground } from './attack-ground.ts';

/** `refused`: what a sandbox says that has no module to make the attack with. */
export function attackCorpus(
  open: () => Promise<Sandbox>,
  { refused }: { refused?: RegExp } = {},
): { ground: () => Ground; sandbox: () => Sandbox } {
  let ground: Ground;
  let sandbox: Sandbox;
  const attack: Ground['attack'] = (...call) => ground.attack(...call);
  const refusalOr = (outcome: object): object =>
    refused === undefined ? outcome : { ok: false, kind: 'threw', message: expect.stringMatching(refused) };

  beforeAll(async () => {
    process.env['SANDBOX_TEST_KEY'] = 'sk-ant-secret';
    ground = await openGround();
    sandbox = await open();
    await ground.begin(sandbox);
  });
  afterAll(async () => {
    delete process.env['SANDBOX_TEST_KEY'];
    await ground.close();
  });

  test('files outside of the folder cannot be read', async () => {
    for (const path of [ground.secret, '/etc/passwd', '/etc/hostname', '../secret.txt']) {
      expect(await attack('readFile', [path]), path).toMatchObject({ ok: false, kind: 'threw' });
    }
    expect(await attack('listFiles', ['/'])).toMatchObject({ ok: false, kind: 'threw' });
  });

  test('a symbolic link does not lead out of the folder', async () => {
    const through = ['tools/link.txt', 'tools/link.json', 'tools/up/secret.txt', join(ground.dir, 'tools/link.txt')];
    for (const path of through) expect(await attack('readFile', [path]), path).toMatchObject({ ok: false });
    expect(await attack('importFile', ['./link.mjs'])).toMatchObject({ ok: false });
    const session = await sandbox.open(ground.dir);
    const outcome = await session.call(
      { module: 'tools/link.mjs', name: 'outside', args: [], timeoutMs: 5000 },
      new AbortController().signal,
    );
    await session.close();
    expect(outcome).toMatchObject({ ok: false, kind: 'bad_module', message: expect.stringContaining('symbolic link') });
  });

  test('nothing can be written', async () => {
    for (const path of [
      join(ground.dir, 'tools/new.mjs'),
      '/components/tools/new.mjs',
      '/tmp/sandbox-owned',
      'x.txt',
    ]) {
      expect(await attack('writeFile', [path]), path).toMatchObject({ ok: false, kind: 'threw' });
    }
    expect(existsSync(join(ground.dir, 'tools/new.mjs'))).toBe(false);
  });

  test('the environment is empty, and that of the parent cannot be read', async () => {
    const environment = await attack('environment');
    // bubblewrap names the folder it changed to.
    expect(environment.ok && Object.keys(environment.value as object).filter((name) => name !== 'PWD')).toEqual([]);
    expect(await attack('environOfParents')).toMatchObject({ ok: false, kind: 'threw' });
  });

  test('no child process, worker or native code is started', async () => {
    for (const name of ['childProcess', 'worker', 'nativeCode']) {
      expect(await attack(name), name).toMatchObject({ ok: false, kind: 'threw' });
    }
  });

  test('an endless loop ends at its time, waiting or not', async () => {
    expect(await attack('loop', [], 200)).toMatchObject({ ok: false, kind: 'timeout' });
    expect(await attack('asyncLoop', [], 200)).toMatchObject({ ok: false, kind: 'timeout' });
  });

  test('memory is capped', async () => {
    expect(await attack('heap')).toMatchObject({ ok: false, kind: 'crashed', message: 'it used up its memory' });
    if (sandbox.gaps.some((gap) => gap.includes('memory'))) return;
    expect(await attack('buffers')).toMatchObject({ ok: false });
  });

  test('a giant answer and a flood on the channel are cut off', async () => {
    expect(await attack('giantOutput')).toMatchObject({ ok: false, kind: 'too_large' });
    expect(await attack('floodChannel')).toMatchObject(refusalOr({ ok: false, kind: 'too_large' }));
  });

  test('an answer that the code writes itself is not believed', async () => {
    expect(await attack('fakeAnswer')).toMatchObject(refusalOr({ ok: true, value: 'honest' }));
    expect(await attack('everyObjectForged')).not.toMatchObject({ value: 'forged' });
    expect(await attack('stealRequests')).toMatchObject(refusalOr({ ok: true, value: 'listening' }));
    expect(await attack('isClean')).toMatchObject({ ok: true, value: true });
  });

  test('what one call does to the built-ins does not reach the next', async () => {
    await attack('pollute');
    expect(await attack('isClean')).toMatchObject({ ok: true, value: true });
    expect(await attack('leaveTimer')).toMatchObject({ ok: true, value: 'left' });
    expect(await attack('isClean')).toMatchObject({ ok: true, value: true });
  });

  test('code that ends its process, or leaves a rejection behind, is told as crashed; the next call is answered', async () => {
    for (const name of ['exit', 'rejectLater', 'neverSettles']) {
      expect(await attack(name), name).toMatchObject({ ok: false, kind: 'crashed' });
      expect(await attack('isClean'), name).toMatchObject({ ok: true, value: true });
    }
  });

  test('a closed session leaves no process behind, neither one at work nor one that is starting', async () => {
    const other = await openGround();
    for (const warmUp of ['environment', undefined]) {
      const session = await sandbox.open(other.dir);
      const call = (name: string) =>
        session
          .call({ module: 'tools/attacks.mjs', name, args: [], timeoutMs: 10_000 }, new AbortController().signal)
          .catch(() => 'refused');
      if (warmUp !== undefined) await call(warmUp);
      const startedAt = performance.now();
      const hanging = [call('loop'), call('loop')];
      // Far enough for the host to be asked for, not for it to be there.
      await new Promise((done) => setImmediate(done));
      await session.close();
      expect((await Promise.all(hanging)).some(isOk)).toBe(false);
      expect(performance.now() - startedAt).toBeLessThan(8000);
      expect(processesNaming(other.dir)).toEqual([]);
    }
    await other.close();
  });

  return { ground: () => ground, sandbox: () => sandbox };
}

function isOk(outcome: unknown): boolean {
  return typeof outcome === 'object' && outcome !== null && 'ok' in outcome && outcome.ok === true;
}
