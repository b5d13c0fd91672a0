/** What stands beside the conversation comes in by itself: project rules, skills, memory, todos (S1.1, S1.2, S4.2). */
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { codeLawOf } from '../../src/agent/code-law.ts';
import { createLayers } from '../../src/agent/layers.ts';
import { createSession } from '../../src/agent/session.ts';
import { freshReads } from '../../src/agent/tools/fresh-reads.ts';
import { view } from '../../src/context/index.ts';
import { textOf, userText } from '../../src/transcript/message.ts';
import { smallCore } from '../support/policies.ts';

const { signal } = new AbortController();

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'tandem-law-'));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}

test('CODE_LAW.md is found in any case, read once while it stays the same, again when its time changes (S1.2)', async () => {
  const dir = await folder();
  const law = codeLawOf(dir, 'CODE_LAW.md');
  expect(await law(signal)).toBeUndefined();
  const path = join(dir, 'code_law.md');
  await writeFile(path, 'Tabs.');
  await utimes(path, 1, 1);
  expect(await law(signal)).toEqual({ file: 'code_law.md', text: 'Tabs.' });
  await writeFile(path, 'TABS!');
  await utimes(path, 1, 1);
  expect((await law(signal))?.text).toBe('Tabs.');
  await utimes(path, 2, 2);
  expect((await law(signal))?.text).toBe('TABS!');
  await rm(path);
  expect(await law(signal)).toBeUndefined();
});

test('layers come in order and once: law and skills in the system prompt, memory behind the task, todos last', async () => {
  const core = smallCore('layered', {
    layers: { law: 'CODE_LAW.md', lawTokens: 500, skills: true, recap: true, memory: { limit: 2, tokens: 200 } },
  });
  const asked: string[] = [];
  const layers = createLayers(core, {
    law: async () => ({ file: 'CODE_LAW.md', text: 'Tabs.' }),
    skills: async () => ['pdf: skills/pdf/SKILL.md, makes pictures of pages'],
    recall: async (task) => {
      asked.push(task);
      return ['last time it was a receipt', 'and a gift card', 'and more'];
    },
  });
  const session = createSession({ entries: [], step: 's', onAppend: () => Promise.resolve() });
  await session.append({ type: 'message', origin: 'human', message: userText('refund this') });
  await layers.bring(session, signal);
  const { length } = session.entries;
  await layers.bring(session, signal);
  expect(session.entries).toHaveLength(length);
  const { system, messages } = view(session.entries);
  expect(system).toHaveLength(2);
  expect(system[0]).toMatch(/<project_rules file="CODE_LAW\.md">\nTabs\.\n<\/project_rules>/);
  expect(system[1]).toMatch(/<available_skills>[\s\S]*skills\/pdf\/SKILL\.md/);
  expect(messages.map(textOf).join('\n')).toMatch(
    /^refund this\n<relevant_context>[\s\S]*a receipt\n- and a gift card\n<\/relevant_context>$/,
  );
  expect(asked).toEqual(['refund this']);
});

test('a policy without layers asks for none', async () => {
  const layers = createLayers(smallCore('two-agent'), { law: () => Promise.reject(new Error('asked')) });
  const session = createSession({ entries: [], step: 's', onAppend: () => Promise.resolve() });
  await layers.bring(session, signal);
  expect(session.entries).toEqual([]);
});

test('a file that somebody else changed is said to be changed when it is read again; one’s own writing is not (S1.12)', async () => {
  let content = 'one';
  const host = freshReads({
    definitions: [],
    call: async (name) => ({ content: name === 'read' ? content : 'ok', is_error: false }),
  });
  const read = async () => (await host.call('read', { file_path: 'a.md' }, signal)).content;
  expect(await read()).toBe('one');
  expect(await read()).toBe('one');
  content = 'two';
  expect(await read()).toBe('two\nNote: a.md was modified externally.');
  expect(await read()).toBe('two');
  await host.call('write', { file_path: 'a.md', content: 'three' }, signal);
  content = 'three';
  expect(await read()).toBe('three');
  expect((await host.call('read', { file_path: 'a.md', view_range: [1, 2] }, signal)).content).toBe('three');
});
