/** The agents of examples/ as our own subjects of their kind talk to them: opened, asked, answered with a call, given its result. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commandSubject } from '../src/adapters/subjects/command-subject.ts';
import { httpSubject } from '../src/adapters/subjects/post-turn.ts';
import type { SubjectHost } from '../src/ports/subject.ts';

const { signal } = new AbortController();
const find_loans = { name: 'find_loans', description: 'x', input_schema: { type: 'object' as const } };

async function holdsItsConversation(subject: SubjectHost): Promise<void> {
  const talk = await subject.open({ prompt: 'You help readers.', tools: [find_loans] });
  const first = await talk.next({ type: 'user', text: 'Renew my book.' }, 10_000, signal);
  expect(first).toMatchObject({ says: expect.stringContaining('Which library card'), calls: [] });
  const second = await talk.next({ type: 'user', text: 'It is C-1001.' }, 10_000, signal);
  expect(second.calls).toMatchObject([{ tool: 'find_loans', args: { card: 'C-1001' } }]);
  const results = [{ id: second.calls[0]?.id ?? '', tool: 'find_loans', output: { loans: ['L-1'] }, is_error: false }];
  const third = await talk.next({ type: 'results', results }, 10_000, signal);
  expect(third).toMatchObject({ says: expect.stringMatching(/L-1/), end: { stop: 'done' } });
  await talk.close();
}

test('a command agent in Python', async () => {
  const cwd = resolve('examples/python-agent');
  await holdsItsConversation(commandSubject({ command: ['python3', 'agent.py'], cwd, env: [] }));
});

test('an agent over HTTP', async () => {
  const server = spawn(process.execPath, ['examples/http-agent/server.mjs'], {
    env: { PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    server.kill();
    await once(server, 'exit');
  });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  await holdsItsConversation(httpSubject({ url: line.toString().trim(), headers: {} }));
});
