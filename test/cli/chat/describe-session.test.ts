import { expect, test } from 'vitest';
import { describeSession } from '../../../src/cli/chat/describe-session.ts';
import { sessionState } from '../../support/sessions.ts';

test('/current tells a session in a few lines, and nothing that drives a terminal (S3.8)', () => {
  const lines = describeSession(
    sessionState({
      todos: [
        { text: 'a', status: 'done' },
        { text: 'b', status: 'pending' },
      ],
      workspace: 'design/\u001b[2Jr1',
    }),
  );
  expect(lines.length).toBeLessThanOrEqual(6);
  expect(lines.join('\n')).toMatch(
    /run-1\/init  gated[\s\S]*messages 17 · 36 messages in all[\s\S]*1 of 2 todos open[\s\S]*workspace design/,
  );
  expect(lines.join('\n')).not.toContain('\u001b');
  expect(describeSession(sessionState({}), 40)[1]).toMatch(/^messages 17 \/ 40 \(max\) · /);
});
