/**
 * Two real processes race for one decision, a worker that is about to pay and a reviewer who takes it back: one of them wins.
 * Its small sibling in CI: test/slow/quorum.test.ts.
 */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { stateOf } from '../../src/pipeline/drive/drive.ts';
import { fold } from '../../src/run/fold.ts';
import { openAsking } from '../support/asking.ts';
import { tandem } from '../support/cli.ts';
import { decide } from '../support/project.ts';
import { created, decided, designDone, started } from '../support/run-events.ts';
import { scratch } from '../support/scratch.ts';

const CHILD = fileURLToPath(new URL('../support/undo-child.ts', import.meta.url));
/** A few for CI, many on demand: `TANDEM_CHAOS=full`, as for the other storms. */
const ROUNDS = process.env['TANDEM_CHAOS'] === 'full' ? 150 : 60;
/** Between the two starts, so that every order of reading, reserving, marking and undoing comes up. */
const SPREAD_MS = 12;

function child(side: 'pay' | 'undo') {
  const process_ = spawn(process.execPath, [CHILD, side], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: process_.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (line: string): Promise<string> => {
      process_.stdin.write(`${line}\n`);
      const { value } = await lines.next();
      return typeof value === 'string' ? value : 'dead';
    },
    stop: () => process_.kill('SIGKILL'),
  };
}

test('in every race either the call is paid and the decision stands, or it is undone and nothing was paid', async () => {
  const scenarioDir = join(await scratch(), 'refund-desk');
  await mkdir(scenarioDir);
  const store = openFileRunStore({ roots: [], clock: { now: () => new Date() }, worker: 'w' });
  const [worker, reviewer] = [child('pay'), child('undo')];
  const outcomes: string[] = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const run = await store.create(scenarioDir, `race-${round}`);
      const story = [created(), started(), designDone(1), decided(1, 'approve', { nonce: 'n' })];
      for (const [length, { body, actor }] of story.entries()) await run.journal.append(body, actor, length);
      const moment = performance.timeOrigin + performance.now() + 15;
      const lead = (round % SPREAD_MS) - SPREAD_MS / 2;
      const answers = await Promise.all([
        worker.ask(`${run.dir}\t${moment}`),
        reviewer.ask(`${run.dir}\t${moment - lead}`),
      ]);
      const state = fold(await run.journal.read());
      const spent = await run.spending.list();
      const told = `${answers.join('+')} ${state.status} ${spent.length}`;
      outcomes.push(told);
      expect(['paid+refused executing 1', 'stopped+undone awaiting_approval 0']).toContain(told);
    }
  } finally {
    worker.stop();
    reviewer.stop();
  }
  // Both ends have been seen, or the race was none.
  expect(new Set(outcomes).size).toBe(2);
}, 120_000);

test('tandem resume against tandem gates undo: whoever comes first, the other one says so and nothing is paid in vain', async () => {
  const asking = await openAsking();
  try {
    for (const delayMs of [0, 250, 500, 750, 1000, 2500]) {
      const run = await asking.waiting();
      await decide(asking.app, await stateOf(run.id, asking.app.deps), 'approve', { run: run.dir, nonce: run.id });
      const resumed = tandem(asking.project.dir, ['resume', run.id, '--on-gate', 'exit'], { USER: 'ada' });
      await setTimeout(delayMs);
      const undone = await tandem(asking.project.dir, ['gates', 'undo', run.id], { USER: 'ada' });
      const { code } = await resumed;
      const types = (await run.journal.read()).map(({ body }) => body.type);
      const paid = (await run.spending.list()).filter(({ call }) => call.startsWith('execute.')).length;
      const told = { undo: undone.code, undone: types.includes('gate.undone'), paid: paid > 0 };
      if (undone.code === 0) expect([told, code]).toEqual([{ undo: 0, undone: true, paid: false }, 4]);
      else {
        expect(told, undone.stderr).toEqual({ undo: 2, undone: false, paid: true });
        expect(undone.stderr).toContain('Too late to undo');
      }
    }
  } finally {
    await asking.close();
  }
}, 120_000);
