/** Task budgets of an agent's file, in the bytes that Init and Execute send, and the note for a model that has no countdown. */
import { expect, test } from 'vitest';
import { openWire, textsOf, type Sent, type Step } from '../support/wire.ts';

type Budgeted = { output_config?: { task_budget?: { total: number; remaining?: number } } };
const budgetIn = ({ raw }: Sent) => (JSON.parse(raw) as Budgeted).output_config?.task_budget;

const look = (n: number): Step => ({
  say: `Once more, ${n}.`,
  calls: ['business_rules.yaml', 'format_spec.yaml', 'unified_scenario_design.md'].map((name) => ({
    tool: 'read',
    input: { file_path: `design/r1/${name}` },
  })),
});
const looks = Array.from({ length: 40 }, (_, n) => look(n));
const withBudget = (total: number) => (shipped: Record<string, unknown>) => ({ ...shipped, task_budget: total });

test('Init and Execute see the countdown of their own file; after a compaction it goes on where it was', async () => {
  const wire = await openWire({
    define: { init: withBudget(300_000), execute: withBudget(400_000) },
    execute: looks,
    agents: { execute: { trigger: { tokens: 40_000 }, keep_steps: 2 } },
  });
  const run = await wire.run();
  expect(run.code, run.stderr.slice(-900)).toBe(0);
  const init = wire.sent('init');
  expect(init.length).toBeGreaterThan(1);
  expect(init.map(budgetIn)).toEqual(init.map(() => ({ type: 'tokens', total: 300_000 })));
  const execute = wire.sent('execute').map(budgetIn);
  expect(execute[0]).toEqual({ type: 'tokens', total: 400_000 });
  expect(execute.every((one) => one?.total === 400_000)).toBe(true);
  const left = [...new Set(execute.map((one) => one?.remaining ?? 400_000))];
  expect(left.length).toBeGreaterThan(1);
  expect(left).toEqual(left.toSorted((one, other) => other - one));
  expect(wire.sent('subject').map(budgetIn).filter(Boolean)).toEqual([]);
});

test('a model without a countdown is told by a note, and no field that it would refuse is sent', async () => {
  const wire = await openWire({
    define: { execute: (shipped) => ({ ...shipped, model: 'claude-sonnet-5', task_budget: 60_000 }) },
    execute: looks,
  });
  const run = await wire.run();
  expect(run.code, run.stderr.slice(-900)).toBe(0);
  const sent = wire.sent('execute');
  expect(sent.map(budgetIn).filter(Boolean)).toEqual([]);
  const notes = sent.filter((one) => /About \d+ of the 60000 tokens/.test(textsOf(one)));
  expect(notes.length).toBeGreaterThanOrEqual(3);
});
