/** What a caller of tools may reach, by the scenarios and the role of its person. */
import { expect, test } from 'vitest';
import { filterByScope, resolveInScope } from '../../../src/cli/mcp/caller-rights.ts';
import type { ToolCaller } from '../../../src/web/create-tool-endpoint.ts';

const runs = [
  { id: 'run-1', scenario: 'desk' },
  { id: 'run-22', scenario: 'desk' },
  { id: 'run-21', scenario: 'till' },
  { id: 'same', scenario: 'desk' },
  { id: 'same', scenario: 'till' },
];
const store = {
  folders: async () => runs.map((run) => ({ ...run, dir: `/x/${run.scenario}/${run.id}` })),
};
const eve: ToolCaller = { name: 'eve', scope: new Set(['desk']), mayAct: (scenario) => scenario === 'desk' };
const bob: ToolCaller = { name: 'bob', scope: undefined, mayAct: () => false };
const ask = (caller: ToolCaller, input: Record<string, unknown>, acts = false) =>
  resolveInScope({ tool: { acts }, input, caller, store });

test('a run is found by the beginning of its id among those that the person reads', async () => {
  expect(await ask(eve, { run: 'run-2', more: 1 })).toEqual({ run: 'run-22', more: 1 });
  expect(await ask(bob, { run: 'run-21' })).toEqual({ run: 'run-21' });
  for (const [caller, run, code] of [
    [bob, 'run-2', 'usage'],
    [eve, 'run-21', 'not_found'],
    [eve, 'nobody', 'not_found'],
    // Its command would name the other one.
    [eve, 'same', 'usage'],
  ] as const)
    await expect(ask(caller, { run })).rejects.toMatchObject({ code });
  await expect(ask(eve, { run: 'run-21' })).rejects.not.toThrow('till');
});

test('acts need the right to decide, and scenarios that are not read do not exist', async () => {
  expect(await ask(eve, { run: 'run-1' }, true)).toEqual({ run: 'run-1' });
  expect(await ask(eve, {}, true)).toEqual({});
  await expect(ask(bob, { run: 'run-1' }, true)).rejects.toMatchObject({ code: 'gate_refused' });
  await expect(ask(eve, { scenario: 'till' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(ask(bob, { scenario: 'till' }, true)).rejects.toMatchObject({ code: 'gate_refused' });
});

test('lists leave out what the person does not read', () => {
  const list = JSON.stringify(runs);
  expect(filterByScope({ name: 'list_runs' }, list, eve)).not.toContain('till');
  expect(filterByScope({ name: 'list_gates' }, list, bob)).toBe(list);
  expect(filterByScope({ name: 'read_report' }, '# till', eve)).toBe('# till');
});
