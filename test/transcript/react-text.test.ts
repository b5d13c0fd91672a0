/** A view as ReAct text. */
import { expect, test } from 'vitest';
import { renderReact } from '../../src/transcript/transcript-lines.ts';
import { createLog } from '../support/transcripts.ts';

test('Thought, Action and what the tool said; thinking is left out, the end is Finish (S1.16)', () => {
  const log = createLog();
  log.human('read a.md');
  log.step(
    [
      { tool: 'read', input: { file_path: 'a.md' }, result: 'text' },
      { tool: 'grep', result: 'none', error: true },
    ],
    { say: 'I look.', think: 'secret' },
  );
  log.says('It says text.');
  const messages = log.entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  expect(renderReact(messages)).toBe(
    [
      '[user] read a.md',
      '[assistant] Thought: I look.\nAction: read[{"file_path":"a.md"}]\nAction: grep[{}]',
      '[tool] {"status":"success","data":"text"}',
      '[tool] {"status":"error","error":"none"}',
      '[assistant] Thought: It says text.\nAction: Finish[]',
    ].join('\n\n'),
  );
});
