import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { toActions, formatCommand, formatLogLine, readLog } from '../../../src/interop/harbor/actions.ts';
import { Sample } from '../../../src/scenario/sample.ts';

const sample = (parts: Partial<Sample>): Sample =>
  Sample.parse({
    ...{ id: 's', title: 't', category: 'c', covers: ['R1'], start: { world: {} }, checkers: ['k'] },
    user: {
      says_first: 'Hello',
      acts: [{ when: 'open the app', says: 'Done.', calls: [{ tool: 'confirm', args: {} }] }],
    },
    ...{ expect: { end_state: 'unchanged' }, gold: [], gold_says: 'Bye.', wrong: [], ...parts },
  });
const users = new Set(['confirm']);
const call = { tool: 'read', args: { id: 1 } };

test('of a listed path the agent plays its own part: it waits where the user answers, and goes on where it calls next', () => {
  const gold = [{ says: 'One moment.' }, call, { says: 'Shall I?' }, { user: 'Yes.' }, call];
  expect(toActions(sample({ gold }), 'gold', users)).toEqual([
    { says: 'One moment.', waits: false },
    call,
    { says: 'Shall I?', waits: true },
    call,
    { says: 'Bye.', waits: true },
  ]);
});

test('an act of the user is brought about by the words that its sample waits for, which are said once', () => {
  const acts = { tool: 'confirm', args: {} };
  expect(toActions(sample({ gold: [acts] }), 'gold', users)[0]).toEqual({ says: 'open the app', waits: true });
  const asked = toActions(sample({ gold: [{ says: 'Please OPEN the app.' }, acts] }), 'gold', users);
  expect(asked.map((one) => ('says' in one ? one.says : ''))).toEqual(['Please OPEN the app.', 'Bye.']);
});

test('a shell passes on what was said, whatever is in it', () => {
  const says = `it's "$HOME" \`ls\` \\ * !`;
  const printed = execFileSync('bash', ['-c', formatCommand({ says, waits: true }).replace('world say', 'printf %s')]);
  expect(printed.toString()).toBe(says);
});

test('lines of a log that are no actions never were', () => {
  const good = formatLogLine({ id: 'a', action: call });
  expect(readLog(`${good}{"id":"b","action":{"type":"user","text":"Yes"}}\nnoise\n{"id":"c"}\n`)).toEqual([
    { id: 'a', action: call, answers: [] },
  ]);
});

test('what a played user answered belongs to its action, in the order of its responses', () => {
  const said = { content: [{ type: 'text' as const, text: 'Yes.' }], stop_reason: 'end_turn' };
  const lines = [formatLogLine({ answers: 'a', nth: 0, response: said }), formatLogLine({ id: 'a', action: call })];
  expect(readLog(lines.join(''))).toEqual([
    { id: 'a', action: call, answers: [{ answers: 'a', nth: 0, response: said }] },
  ]);
});
