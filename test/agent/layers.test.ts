/** What stands beside the conversation comes in by itself: project rules, skills, memory, todos (S1.1, S1.2, S4.2). */
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildProjectRules, createLayers } from '../../src/agent/layers.ts';
import { createAgentConversation } from '../../src/agent/agent-conversation.ts';
import { acceptSummary, planCompaction, view } from '../../src/context/index.ts';
import { getText, createUserMessage } from '../../src/transcript/message.ts';
import { answerFor, smallCore } from '../support/policies.ts';
import { busyLog } from '../support/transcripts.ts';

const { signal } = new AbortController();

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'tandem-law-'));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}

test('CODE_LAW.md is found in any case, read once while it stays the same, again when its time changes (S1.2)', async () => {
  const dir = await folder();
  const law = buildProjectRules(dir, 'CODE_LAW.md');
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
  const session = createAgentConversation({ entries: [], step: 's', onAppend: () => Promise.resolve() });
  await session.append({ type: 'message', origin: 'human', message: createUserMessage('refund this') });
  await layers.bring(session, signal);
  const { length } = session.entries;
  await layers.bring(session, signal);
  expect(session.entries).toHaveLength(length);
  const { system, messages } = view(session.entries);
  expect(system).toHaveLength(2);
  expect(system[0]).toMatch(/<project_rules file="CODE_LAW\.md">\nTabs\.\n<\/project_rules>/);
  expect(system[1]).toMatch(/<available_skills>[\s\S]*skills\/pdf\/SKILL\.md/);
  expect(messages.map(getText).join('\n')).toMatch(
    /^refund this\n<relevant_context>[\s\S]*a receipt\n- and a gift card\n<\/relevant_context>$/,
  );
  expect(asked).toEqual(['refund this']);
});

test('a policy without layers asks for none', async () => {
  const core = smallCore('two-agent');
  const { law: _law, ...none } = core.policy.layers;
  const without = { ...core, policy: { ...core.policy, layers: none } };
  const layers = createLayers(without, { law: () => Promise.reject(new Error('asked')) });
  const session = createAgentConversation({ entries: [], step: 's', onAppend: () => Promise.resolve() });
  await layers.bring(session, signal);
  expect(session.entries).toEqual([]);
});

test('an injection stands once, and is said again when a rewrite took it away (S4.2)', async () => {
  const small = smallCore('two-agent');
  const core = { ...small, prompts: { ...small.prompts, inject: ['Answer in Dutch.\n', 'Be brief.'] } };
  const session = createAgentConversation({
    entries: busyLog(2).entries,
    step: 's',
    onAppend: () => Promise.resolve(),
  });
  const layers = createLayers(core, {});
  const said = () =>
    view(session.entries).messages.flatMap((message) => {
      const text = getText(message);
      return ['Answer in Dutch.', 'Be brief.'].filter((one) => text.includes(one));
    });
  await layers.bring(session, signal);
  await layers.bring(session, signal);
  expect(said()).toEqual(['Answer in Dutch.', 'Be brief.']);
  expect(session.entries.at(-1)).toMatchObject({ item: 'injection', origin: 'reminder' });

  const more = busyLog(12)
    .entries.filter((entry) => entry.type === 'message')
    .slice(1);
  for (const entry of more) await session.append({ type: 'message', origin: entry.origin, message: entry.message });
  const cut = planCompaction(session.entries, core, { reason: 'threshold' });
  if (cut.type !== 'cut') throw new Error(cut.type);
  const made = acceptSummary(session.entries, core, cut, answerFor(core, ['x [#e1]']));
  if (!made.ok) throw new Error(made.detail);
  await session.append(made.entry);
  expect(said()).toEqual([]);
  await layers.bring(session, signal);
  await layers.bring(session, signal);
  expect(said()).toEqual(['Answer in Dutch.', 'Be brief.']);
});

test('a policy without injections says nothing', async () => {
  const small = smallCore('two-agent');
  const session = createAgentConversation({
    entries: busyLog(1).entries,
    step: 's',
    onAppend: () => Promise.resolve(),
  });
  const { length } = session.entries;
  await createLayers(small, {}).bring(session, signal);
  expect(session.entries).toHaveLength(length);
});
