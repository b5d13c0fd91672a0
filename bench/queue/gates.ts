/** Ten thousand runs that wait at a gate: what they cost the worker, the list of gates, and a pass over all of them. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { createReconciler } from '../../src/worker/reconcile.ts';
import type { JobQueue } from '../../src/ports/job-queue.ts';
import { created, designDone, started } from '../../test/support/run-events.ts';
import { median, row, timed, type Row } from './measure.ts';

const RUNS = 10_000;
const run = promisify(execFile);

export async function gates(): Promise<Row[]> {
  const project = await mkdtemp(join(tmpdir(), 'tandem-bench-'));
  try {
    const scenario = join(project, 'scenarios/desk');
    await mkdir(scenario, { recursive: true });
    const clock = { now: () => new Date() };
    const store = openFileRunStore({ roots: [join(project, 'scenarios')], clock, worker: 'bench' });
    for (let index = 0; index < RUNS; index += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, offset) => gated(index + offset)));
    }
    let woken = 0;
    const queue: JobQueue = {
      wake: async () => void (woken += 1),
      work: async () => undefined,
      idle: async () => undefined,
      close: async () => undefined,
    };
    const before = process.memoryUsage().rss;
    const reconciler = createReconciler({ store, clock, queue, progress: () => undefined });
    const first = await timed(() => reconciler.pass());
    const again = await timed(() => reconciler.pass());
    const memory = (process.memoryUsage().rss - before) / 2 ** 20;
    const lists: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const args = [resolve('bin/tandem.js'), 'gates', 'list', '--json'];
      lists.push(await timed(() => run(process.execPath, args, { cwd: project, maxBuffer: 2 ** 27 })));
    }
    const list = median(lists);
    const s = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
    return [
      row(`${RUNS} gates: jobs in the queue`, String(woken), '0', woken === 0),
      row(`${RUNS} gates: first pass ever, every journal read`, s(first), '≤ 2 s', first <= 2000),
      row(`${RUNS} gates: a pass of a worker, index at hand`, s(again), '≤ 2 s', again <= 2000),
      row(`${RUNS} gates: by how much a fresh process grows`, `${memory.toFixed(0)} MB`),
      row(`${RUNS} gates: \`tandem gates list\``, s(list), '≤ 1 s', list <= 1000),
    ];

    async function gated(index: number): Promise<void> {
      const folder = await store.create(scenario, `r${String(index).padStart(5, '0')}`);
      for (const [length, { body, actor }] of [created(), started(), designDone(1)].entries())
        await folder.journal.append(body, actor, length);
      await folder.write('queue.json', '{"version":1,"carriedBy":"workers"}\n');
    }
  } finally {
    await rm(project, { recursive: true, force: true });
  }
}
