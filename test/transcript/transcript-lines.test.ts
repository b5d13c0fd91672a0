/** Transcript lines for people. */
import { expect, test } from 'vitest';
import { formatTranscript } from '../../src/transcript/transcript-lines.ts';
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
