/** Transcript lines for people. */
import { expect, test } from 'vitest';
import { formatTranscript } from '../../src/transcript/transcript-lines.ts';
import { createFieldsBlock, type Block } from '../../src/transcript/message.ts';
import { createLog } from '../support/transcripts.ts';

test('each line says who, which tool and whether it failed, and cites its entry (S4.7, T20)', () => {
  const log = createLog();
  log.user('build\nit');
  log.step([{ tool: 'write', input: { file_path: 'a.ts' }, result: 'no such folder', error: true }], {
    say: 'I write.',
  });
  log.append({ type: 'compaction_refused', cause: 'empty', detail: '' });
  expect(formatTranscript(log.entries)).toEqual([
    '[#e1] harness: build it',
    '[#e2] assistant: I write.',
    '[#e2] call write {"file_path":"a.ts"}',
    '[#e3] error write: no such folder',
    '[#e4] compaction refused: empty',
  ]);
});

test('lines are cut at a length, never inside a surrogate pair', () => {
  const log = createLog();
  log.human(`ab${'🙂'.repeat(20)}`);
  expect(formatTranscript(log.entries, 10)).toEqual(['[#e1] human: ab']);
});

test('documents, searches of the server and what stood for an input are told; bytes and envelopes are not', () => {
  const log = createLog();
  const wire = (type: string, fields: object): Block => ({ type: 'unknown', wire: { type, ...fields } });
  const bytes = { source: { type: 'base64', data: 'QUJD'.repeat(500) } };
  const paper = wire('document', { title: 'Lease', ...bytes });
  log.append({ type: 'message', origin: 'human', message: { role: 'user', content: [paper] } });
  const search = wire('server_tool_use', { id: 's', name: 'web_search', input: { query: 'rent' } });
  const call: Block = { type: 'tool_use', id: 'c', name: 'write', input: {}, malformed: '{"file_path": "a' };
  const content = [search, call, createFieldsBlock({ reasoning_content: 'hm' })];
  log.append({ type: 'message', origin: 'model', message: { role: 'assistant', content } });
  expect(formatTranscript(log.entries)).toEqual([
    '[#e1] human: (document {"title":"Lease","source":{"type":"base64","data":" "}})',
    '[#e2] assistant: (server_tool_use {"id":"s","name":"web_search","input":{"query":"rent"}})',
    '[#e2] call write {"file_path": "a',
  ]);
});
