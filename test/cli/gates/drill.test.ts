/** Practice on the terminal: the planted defect is shown as any design, told afterwards, and nothing of it stays. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { drillCommand } from '../../../src/cli/gates/drill.ts';
import { fakeIo, type FakeIo } from '../fake-io.ts';
import { decided } from '../../support/run-events.ts';
import { openDesk, RULES, type Desk } from '../../web/desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.remove());

const QUOTING = RULES.map((rule) => ({ ...rule, quote: 'Goods may be returned up to day 30 after delivery.' }));

async function approveOne(): Promise<void> {
  const run = await desk.waiting('first', [{ rules: QUOTING }]);
  const state = await desk.state(run);
  const digest = state.status === 'awaiting_approval' ? state.gate.digest : '';
  const { body, actor } = decided(1, 'approve', { digest, nonce: 'n' });
  await run.journal.append(body, actor, (await run.journal.read()).length);
}

function ioWith(answers: readonly string[]): FakeIo & { asked: string[] } {
  const left = [...answers];
  const asked: string[] = [];
  const ask = (question: string) => {
    asked.push(question);
    return Promise.resolve(left.shift() ?? 'q');
  };
  return { ...fakeIo(desk.root), ask, asked };
}

test('says before that it is practice, and afterwards what was planted and whether it was caught', async () => {
  await approveOne();
  const io = ioWith(['r', 'R1 and R2 do not quote what the source says']);
  const signal = new AbortController().signal;
  expect(await drillCommand('refund-desk', { defect: 'changed_quote' }, { io, signal })).toBe(0);
  expect(io.errors[0]).toContain('PRACTICE. One defect was planted in this copy of an approved design.');
  expect(io.errors.join('\n')).toContain('day 60');
  expect(io.lines.join('\n')).toMatch(
    /Practice is over\. Caught in \d+ seconds[^]*“Goods may be returned up to day 60/,
  );
});

test('tells an approval as missed, and leaves neither the copy nor a trace beside the real run', async () => {
  await approveOne();
  const before = readdirSync(join(desk.root, 'scenarios/refund-desk/runs'));
  const events = readdirSync(join(desk.root, 'scenarios/refund-desk/runs/first/events'));
  const io = ioWith(['a', 'accept', '']);
  const { signal } = new AbortController();
  await drillCommand('refund-desk', { defect: 'changed_quote', json: true }, { io, signal });
  expect(io.json()).toMatchObject({ scenario: 'refund-desk', kind: 'changed_quote', outcome: 'missed' });
  expect(readdirSync(join(desk.root, 'scenarios/refund-desk/runs'))).toEqual(before);
  expect(readdirSync(join(desk.root, 'scenarios/refund-desk/runs/first/events'))).toEqual(events);
  expect(existsSync(join(desk.root, 'practice'))).toBe(false);
});

test('needs an approved design, and somewhere to ask', async () => {
  const { signal } = new AbortController();
  const drill = (io: FakeIo) => drillCommand('refund-desk', { defect: 'conflict' }, { io, signal });
  await expect(drill(ioWith([]))).rejects.toMatchObject({ code: 'not_found' });
  await expect(drill(fakeIo(desk.root))).rejects.toThrow('needs a terminal');
});
