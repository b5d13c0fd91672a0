/** The rules of every artifacts adapter: private attempts, one commit, takeover by another worker. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import assert from 'node:assert/strict';
import type { Artifacts } from '../../../src/ports/artifacts.ts';
import { createCases, type Checks, type ContractCase } from './contract-case.ts';
import { assertRejects } from './assertions.ts';

export type ArtifactsUnderTest = { artifacts: Artifacts; another: () => Artifacts };

const CHECKS: Checks<ArtifactsUnderTest> = {
  'knows nothing that was not committed': async ({ artifacts }) => {
    assert.equal(await artifacts.committed('design/r1'), undefined);
    const attempt = await artifacts.begin('design.r1', 'design/r1', []);
    await writeFile(join(attempt.out, 'a.md'), 'half');
    assert.equal(await artifacts.committed('design/r1'), undefined);
  },
  'commits what was made, with a manifest and a digest that every worker sees alike': async ({
    artifacts,
    another,
  }) => {
    const attempt = await artifacts.begin('design.r1', 'design/r1', []);
    await writeFile(join(attempt.out, 'b.md'), 'bb');
    await mkdir(join(attempt.out, 'a'));
    await writeFile(join(attempt.out, 'a/z.md'), 'z');
    const committed = await artifacts.commit(attempt);
    assert.deepEqual(
      committed.manifest.files.map(({ path, bytes }) => [path, bytes]),
      [
        ['a/z.md', 1],
        ['b.md', 2],
      ],
    );
    assert.deepEqual({ ...(await another().committed('design/r1', true)), dir: '' }, { ...committed, dir: '' });
    assert.equal(await readFile(join(committed.dir, 'b.md'), 'utf8'), 'bb');
  },
  'names equal contents alike and other contents otherwise': async ({ artifacts }) => {
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
    assert.equal(digests[0], digests[1]);
    assert.notEqual(digests[0], digests[2]);
  },
  'remembers what was paid for, under names with folders too': async ({ artifacts }) => {
    const attempt = await artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
    assert.equal(await attempt.recall('subject/x.1.0001'), undefined);
    await attempt.remember('subject/x.1.0001', { text: 'ja', n: 1 });
    await attempt.remember('0001', null);
    assert.deepEqual(await attempt.recall('subject/x.1.0001'), { text: 'ja', n: 1 });
    assert.equal(await attempt.recall('0001'), null);
  },
  'hands a dead attempt over: what it paid for stays, what it half made goes': async ({ artifacts, another }) => {
    const dead = await artifacts.begin('design.r1', 'design/r1', []);
    await dead.remember('0001', 'paid');
    await writeFile(join(dead.out, 'half.md'), 'half');
    const next = await another().begin('design.r1', 'design/r1', []);
    assert.equal(await next.recall('0001'), 'paid');
    await assertRejects(readFile(join(next.out, 'half.md')), { code: 'ENOENT' });
  },
  'an attempt knows its own folder: one of the same name that is made after a takeover is another': async ({
    artifacts,
    another,
  }) => {
    const attempt = await artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
    assert.equal(await attempt.exists(), true);
    await another().begin('execute.i1', 'execution_outputs/iteration_1', []);
    assert.equal(await attempt.exists(), false);
    await mkdir(attempt.dir, { recursive: true });
    assert.equal(await attempt.exists(), false);
  },
  'fences the slow worker: after a takeover it can neither remember, recall nor commit': async ({
    artifacts,
    another,
  }) => {
    const slow = await artifacts.begin('design.r1', 'design/r1', []);
    const fresh = await another().begin('design.r1', 'design/r1', []);
    await assertRejects(slow.remember('0001', 'late'), { code: 'attempt_lost' });
    await assertRejects(slow.remember('deep/0001', 'late'), { code: 'attempt_lost' });
    await assertRejects(slow.recall('0001'), { code: 'attempt_lost' });
    await assertRejects(artifacts.commit(slow), { code: 'attempt_lost' });
    assert.equal(await fresh.recall('0001'), undefined);
    assert.equal(await artifacts.committed('design/r1'), undefined);
  },
  'keeps the steps apart whose names begin alike': async ({ artifacts }) => {
    const ten = await artifacts.begin('execute.i10', 'execution_outputs/iteration_10', []);
    await ten.remember('0001', 'ten');
    const one = await artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
    assert.equal(await one.recall('0001'), undefined);
    await artifacts.discard('execute.i1');
    assert.equal(await ten.recall('0001'), 'ten');
  },
  'lets the first commit stand: the second worker gets it, and its own work is dropped': async ({
    artifacts,
    another,
  }) => {
    const winner = await artifacts.begin('design.r1', 'design/r1', []);
    await writeFile(join(winner.out, 'a.md'), 'first');
    const first = await artifacts.commit(winner);
    const loser = await another().begin('design.r1', 'design/r1', []);
    await writeFile(join(loser.out, 'a.md'), 'second');
    assert.deepEqual({ ...(await another().commit(loser)), dir: '' }, { ...first, dir: '' });
    assert.equal(await readFile(join(first.dir, 'a.md'), 'utf8'), 'first');
  },
  'is worked on together: what the holder shares is joined, and of what is remembered first one value counts': async ({
    artifacts,
    another,
  }) => {
    const holder = await artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
    await mkdir(join(holder.out, 'tools'));
    await writeFile(join(holder.out, 'tools/a.js'), 'first');
    await holder.share();
    const name = basename(holder.dir);
    // A process that has listed the live attempts can join one as well.
    const looking = another();
    assert.deepEqual(await looking.live(), [name]);
    const looked = await looking.join(name, 'execution_outputs/iteration_1');
    assert.equal(await readFile(join(looked?.out ?? '', 'tools/a.js'), 'utf8'), 'first');
    const helper = await another().join(name, 'execution_outputs/iteration_1');
    assert.equal(await readFile(join(helper?.out ?? '', 'tools/a.js'), 'utf8'), 'first');
    await helper?.remember('subject/x.0001', 'paid');
    await helper?.rememberFirst('trials/x.1', 'first');
    await holder.rememberFirst('trials/x.1', 'second');
    await helper?.rememberFirst('handed-back/y.1', { why: 'no' });
    assert.equal(await holder.recall('subject/x.0001'), 'paid');
    assert.equal(await holder.recall('trials/x.1'), 'first');
    assert.deepEqual(await holder.remembered('trials'), ['x.1']);
    assert.deepEqual(await holder.remembered('handed-back'), ['y.1']);
    await holder.forget('handed-back');
    assert.deepEqual(await holder.remembered('handed-back'), []);

    await writeFile(join(holder.out, 'tools/a.js'), 'other');
    await holder.share();
    const again = await another().join(name, 'execution_outputs/iteration_1');
    assert.equal(await readFile(join(again?.out ?? '', 'tools/a.js'), 'utf8'), 'other');
    // The holder reads its own files, whatever copies others have.
    const own = await artifacts.join(name, 'execution_outputs/iteration_1');
    assert.equal(own?.out, holder.out);

    await another().begin('execute.i1', 'execution_outputs/iteration_1', []);
    assert.equal(await another().join(name, 'execution_outputs/iteration_1'), undefined);
    await assertRejects(again?.rememberFirst('trials/z.1', 'late'), { code: 'attempt_lost' });
    await assertRejects(again?.remembered('trials'), { code: 'attempt_lost' });
    await assertRejects(again?.remember('subject/x.0002', 'late'), { code: 'attempt_lost' });
  },
  'commits twice to the same effect': async ({ artifacts }) => {
    const attempt = await artifacts.begin('design.r1', 'design/r1', []);
    await writeFile(join(attempt.out, 'a.md'), 'once');
    const first = await artifacts.commit(attempt);
    assert.deepEqual(await artifacts.commit(attempt), first);
  },
  'seeds a fresh attempt with copies, which change nothing where they come from': async ({ artifacts }) => {
    const first = await artifacts.begin('design.r1', 'design/r1', []);
    await mkdir(join(first.out, 'sub'));
    await writeFile(join(first.out, 'sub/a.md'), 'one');
    const { digest } = await artifacts.commit(first);
    const second = await artifacts.begin('design.r2', 'design/r2', [{ from: 'design/r1', to: '.' }]);
    assert.equal(await readFile(join(second.out, 'sub/a.md'), 'utf8'), 'one');
    await writeFile(join(second.out, 'sub/a.md'), 'two');
    assert.equal((await artifacts.committed('design/r1', true))?.digest, digest);
    assert.deepEqual(
      (await artifacts.commit(second)).manifest.files.map(({ path }) => path),
      ['sub/a.md'],
    );
  },
  'forgets what a finished step left, and only then': async ({ artifacts }) => {
    const attempt = await artifacts.begin('design.r1', 'design/r1', []);
    await attempt.remember('0001', 'paid');
    await artifacts.commit(attempt);
    assert.equal(await attempt.recall('0001'), 'paid');
    await artifacts.discard('design.r1');
    await assertRejects(attempt.recall('0001'), { code: 'attempt_lost' });
    await artifacts.discard('design.r1');
  },
};

export function artifactsCases(make: () => Promise<ArtifactsUnderTest>): ContractCase[] {
  return createCases(CHECKS, make);
}
