/** Units: what a transcript may be cut into. */
import { expect, test } from 'vitest';
import { splitSteps } from '../../src/transcript/step.ts';
import { createLog } from '../support/transcripts.ts';
import type { Log } from '../support/transcripts.ts';

const shape = ({ entries }: Log) =>
  splitSteps(entries).map(({ kind, entries }) => `${kind} ${entries.map(({ id }) => id).join(' ')}`);

test('a call and its results are one step, whatever stands between two real user messages (T6, T34)', () => {
  const log = createLog();
  log.user('go');
  log.step([{ result: 'a' }, { result: 'b' }]);
  log.step([{ result: 'c' }]);
  log.says('done');
  log.human('and now?');
  expect(shape(log)).toEqual(['prompt e1', 'step e2 e3', 'step e4 e5', 'step e6', 'prompt e7']);
});

test('messages of a person that follow each other are one prompt; a reminder belongs to the step before it', () => {
  const log = createLog();
  log.user('go');
  log.human('also this');
  log.says('done');
  log.user('you have not submitted', 'reminder');
  log.step([{ result: 'ok' }]);
  expect(shape(log)).toEqual(['prompt e1 e2', 'step e3 e4', 'step e5 e6']);
});

test('calls that wait are open; once a person has spoken, nobody waits for them (T7)', () => {
  const log = createLog();
  log.user('go');
  log.step([{ id: 'a', result: 'x' }, { id: 'b' }]);
  expect(splitSteps(log.entries).at(-1)?.openCalls).toEqual(['b']);
  log.user('the tool crashed', 'reminder');
  expect(splitSteps(log.entries).at(-1)?.openCalls).toEqual([]);
});

test('results in two messages belong to the same step', () => {
  const log = createLog();
  log.user('go');
  log.step([{ id: 'a', result: 'x' }, { id: 'b' }]);
  log.append({
    type: 'message',
    origin: 'tools',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'b', content: 'y' }] },
  });
  expect(shape(log)).toEqual(['prompt e1', 'step e2 e3 e4']);
  expect(splitSteps(log.entries).at(-1)?.openCalls).toEqual([]);
});

test('compactions are no part of any unit', () => {
  const log = createLog();
  log.user('go');
  log.append({ type: 'compaction_refused', cause: 'empty', detail: 'nothing came' });
  log.step([{ result: 'a' }]);
  expect(shape(log)).toEqual(['prompt e1', 'step e3 e4']);
});

test('words of a person end the wait for a result of the server: the answer after them is a step', () => {
  const log = createLog();
  log.user('go');
  const answer = (...wires: { type: string; [field: string]: unknown }[]) =>
    log.append({
      type: 'message',
      origin: 'model',
      message: { role: 'assistant', content: wires.map((wire) => ({ type: 'unknown', wire })) },
    });
  answer({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} });
  log.human('and this?');
  answer({ type: 'web_search_tool_result', tool_use_id: 's', content: [] });
  expect(shape(log)).toEqual(['prompt e1', 'step e2', 'prompt e3', 'step e4']);
});
