/** What every artifacts adapter must do: make in private, commit once, hand over on takeover. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Artifacts } from '../../src/ports/artifacts.ts';

export type ArtifactsUnderTest = { artifacts: Artifacts; another: () => Artifacts };

export function artifactsContract(name: string, make: () => Promise<ArtifactsUnderTest>): void {
  describe(`artifacts contract: ${name}`, () => {
    test('knows nothing that was not committed', async () => {
      const { artifacts } = await make();
      expect(await artifacts.committed('design/r1')).toBeUndefined();
      const attempt = await artifacts.begin('design.r1', 'design/r1', []);
      await writeFile(join(attempt.out, 'a.md'), 'half');
      expect(await artifacts.committed('design/r1')).toBeUndefined();
    });

    test('commits what was made, with a manifest and a digest that every worker sees alike', async () => {
      const { artifacts, another } = await make();
      const attempt = await artifacts.begin('design.r1', 'design/r1', []);
      await writeFile(join(attempt.out, 'b.md'), 'bb');
      await mkdir(join(attempt.out, 'a'));
      await writeFile(join(attempt.out, 'a/z.md'), 'z');
      const committed = await artifacts.commit(attempt);
      expect(committed.manifest.files.map(({ path, bytes }) => [path, bytes])).toEqual([
        ['a/z.md', 1],
        ['b.md', 2],
      ]);
      expect({ ...(await another().committed('design/r1', true)), dir: '' }).toEqual({ ...committed, dir: '' });
      expect(await readFile(join(committed.dir, 'b.md'), 'utf8')).toBe('bb');
    });

    test('names equal contents alike and other contents otherwise', async () => {
      const { artifacts } = await make();
      const digests: string[] = [];
      for (const [round, text] of [
        [1, 'same'],
        [2, 'same'],
        [3, 'other'],
      ] as const) {
        const attempt = await artifacts.begin(`design.r${round}`, `design/r${round}`, []);
        await writeFile(join(attempt.out, 'a.md'), text);
        digests.push((await artifacts.commit(attempt)).digest);
      }
      expect(digests[0]).toBe(digests[1]);
      expect(digests[0]).not.toBe(digests[2]);
    });

    test('remembers what was paid for, under names with folders too', async () => {
      const { artifacts } = await make();
      const attempt = await artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
      expect(await attempt.recall('subject/x.1.0001')).toBeUndefined();
      await attempt.remember('subject/x.1.0001', { text: 'ja', n: 1 });
      await attempt.remember('0001', null);
      expect(await attempt.recall('subject/x.1.0001')).toEqual({ text: 'ja', n: 1 });
      expect(await attempt.recall('0001')).toBeNull();
    });

    test('hands a dead attempt over: what it paid for stays, what it half made goes', async () => {
      const { artifacts, another } = await make();
      const dead = await artifacts.begin('design.r1', 'design/r1', []);
      await dead.remember('0001', 'paid');
      await writeFile(join(dead.out, 'half.md'), 'half');
      const next = await another().begin('design.r1', 'design/r1', []);
      expect(await next.recall('0001')).toBe('paid');
      await expect(readFile(join(next.out, 'half.md'))).rejects.toMatchObject({ code: 'ENOENT' });
    });

    test('an attempt knows its own folder: one of the same name that is made after a takeover is another', async () => {
      const { artifacts, another } = await make();
      const attempt = await artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
      expect(await attempt.exists()).toBe(true);
      await another().begin('execute.i1', 'execution_outputs/iteration_1', []);
      expect(await attempt.exists()).toBe(false);
      await mkdir(attempt.dir, { recursive: true });
      expect(await attempt.exists()).toBe(false);
    });

    test('fences the slow worker: after a takeover it can neither remember, recall nor commit', async () => {
      const { artifacts, another } = await make();
      const slow = await artifacts.begin('design.r1', 'design/r1', []);
      const fresh = await another().begin('design.r1', 'design/r1', []);
      await expect(slow.remember('0001', 'late')).rejects.toMatchObject({ code: 'attempt_lost' });
      await expect(slow.remember('deep/0001', 'late')).rejects.toMatchObject({ code: 'attempt_lost' });
      await expect(slow.recall('0001')).rejects.toMatchObject({ code: 'attempt_lost' });
      await expect(artifacts.commit(slow)).rejects.toMatchObject({ code: 'attempt_lost' });
      expect(await fresh.recall('0001')).toBeUndefined();
      expect(await artifacts.committed('design/r1')).toBeUndefined();
    });

    test('keeps the steps apart whose names begin alike', async () => {
      const { artifacts } = await make();
      const ten = await artifacts.begin('execute.i10', 'execution_outputs/iteration_10', []);
      await ten.remember('0001', 'ten');
      const one = await artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
      expect(await one.recall('0001')).toBeUndefined();
      await artifacts.discard('execute.i1');
      expect(await ten.recall('0001')).toBe('ten');
    });

    test('lets the first commit stand: the second worker gets it, and its own work is dropped', async () => {
      const { artifacts, another } = await make();
      const winner = await artifacts.begin('design.r1', 'design/r1', []);
      await writeFile(join(winner.out, 'a.md'), 'first');
      const first = await artifacts.commit(winner);
      const loser = await another().begin('design.r1', 'design/r1', []);
      await writeFile(join(loser.out, 'a.md'), 'second');
      expect({ ...(await another().commit(loser)), dir: '' }).toEqual({ ...first, dir: '' });
      expect(await readFile(join(first.dir, 'a.md'), 'utf8')).toBe('first');
    });

    test('is worked on together: what the holder shares is joined, and of what is remembered first one value counts', async () => {
      const { artifacts, another } = await make();
      const holder = await artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
      await mkdir(join(holder.out, 'tools'));
      await writeFile(join(holder.out, 'tools/a.js'), 'first');
      await holder.share();
      const name = basename(holder.dir);
      const helper = await another().join(name, 'execution_outputs/iteration_1');
      expect(await readFile(join(helper?.out ?? '', 'tools/a.js'), 'utf8')).toBe('first');
      await helper?.remember('subject/x.0001', 'paid');
      await helper?.rememberFirst('trials/x.1', 'first');
      await holder.rememberFirst('trials/x.1', 'second');
      await helper?.rememberFirst('handed-back/y.1', { why: 'no' });
      expect(await holder.recall('subject/x.0001')).toBe('paid');
      expect(await holder.recall('trials/x.1')).toBe('first');
      expect(await holder.remembered('trials')).toEqual(['x.1']);
      expect(await holder.remembered('handed-back')).toEqual(['y.1']);
      await holder.forget('handed-back');
      expect(await holder.remembered('handed-back')).toEqual([]);

      await writeFile(join(holder.out, 'tools/a.js'), 'other');
      await holder.share();
      const again = await another().join(name, 'execution_outputs/iteration_1');
      expect(await readFile(join(again?.out ?? '', 'tools/a.js'), 'utf8')).toBe('other');
      // Who holds it reads its own files, whatever others have of it.
      const own = await artifacts.join(name, 'execution_outputs/iteration_1');
      expect(own?.out).toBe(holder.out);

      await another().begin('execute.i1', 'execution_outputs/iteration_1', []);
      expect(await another().join(name, 'execution_outputs/iteration_1')).toBeUndefined();
      await expect(again?.rememberFirst('trials/z.1', 'late')).rejects.toMatchObject({ code: 'attempt_lost' });
      await expect(again?.remembered('trials')).rejects.toMatchObject({ code: 'attempt_lost' });
      await expect(again?.remember('subject/x.0002', 'late')).rejects.toMatchObject({ code: 'attempt_lost' });
    });

    test('commits twice to the same effect', async () => {
      const { artifacts } = await make();
      const attempt = await artifacts.begin('design.r1', 'design/r1', []);
      await writeFile(join(attempt.out, 'a.md'), 'once');
      const first = await artifacts.commit(attempt);
      expect(await artifacts.commit(attempt)).toEqual(first);
    });

    test('seeds a fresh attempt with copies, which change nothing where they come from', async () => {
      const { artifacts } = await make();
      const first = await artifacts.begin('design.r1', 'design/r1', []);
      await mkdir(join(first.out, 'sub'));
      await writeFile(join(first.out, 'sub/a.md'), 'one');
      const { digest } = await artifacts.commit(first);
      const second = await artifacts.begin('design.r2', 'design/r2', [{ from: 'design/r1', to: '.' }]);
      expect(await readFile(join(second.out, 'sub/a.md'), 'utf8')).toBe('one');
      await writeFile(join(second.out, 'sub/a.md'), 'two');
      expect((await artifacts.committed('design/r1', true))?.digest).toBe(digest);
      expect((await artifacts.commit(second)).manifest.files.map(({ path }) => path)).toEqual(['sub/a.md']);
    });

    test('forgets what a finished step left, and only then', async () => {
      const { artifacts } = await make();
      const attempt = await artifacts.begin('design.r1', 'design/r1', []);
      await attempt.remember('0001', 'paid');
      await artifacts.commit(attempt);
      expect(await attempt.recall('0001')).toBe('paid');
      await artifacts.discard('design.r1');
      await expect(attempt.recall('0001')).rejects.toMatchObject({ code: 'attempt_lost' });
      await artifacts.discard('design.r1');
    });
  });
}
