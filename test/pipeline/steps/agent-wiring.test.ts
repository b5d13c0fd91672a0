/** What a sub-agent has besides its task: its agent's skills and memory where the agent's file gives them, and nothing else. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAgentConversation, type AgentConversation } from '../../../src/agent/agent-conversation.ts';
import { withChangeNotes } from '../../../src/agent/tools/fresh-reads.ts';
import { withinSkill } from '../../../src/agent/tools/skill.ts';
import { findHome } from '../../../src/config/home.ts';
import { loadAgent } from '../../../src/config/load-agent.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { loadPrompts } from '../../../src/config/load-prompts.ts';
import { activeSkill } from '../../../src/context/facts/active-skill.ts';
import type { Deps } from '../../../src/pipeline/deps.ts';
import { buildSubagent } from '../../../src/pipeline/steps/agent-wiring.ts';
import type { ToolHost } from '../../../src/ports/tools/tool-host.ts';
import { getResultText } from '../../../src/transcript/transcript-lines.ts';
import { getText, createUserMessage } from '../../../src/transcript/message.ts';
import { call, facts, say } from '../../support/responses.ts';
import { scratch } from '../../support/scratch.ts';
import { scriptedModel, type ScriptedAnswer } from '../../support/scripted-model.ts';

const { signal } = new AbortController();
const { shipped } = findHome('.');
const SUB = (tools: string, more = '') => `subagent: { tools: [${tools}], max_loops: 9${more} }\n`;
const SKILLS = 'skills: { folder: skills }\n';
const MEMORY = 'memory: { limit: 2 }\n';

async function agentWith(more: string, granted = '', reviewer: Record<string, string> = {}) {
  const project = await scratch();
  await cp('agents/execute', join(project, 'agents/execute'), { recursive: true });
  const path = join(project, 'agents/execute/agent.yaml');
  const shippedYaml = await readFile(path, 'utf8');
  await writeFile(path, `${shippedYaml.replace('return_to_init]', `return_to_init${granted}]`)}${more}`);
  await mkdir(join(project, 'agents/reviewer'), { recursive: true });
  for (const [file, text] of Object.entries(reviewer)) await writeFile(join(project, 'agents/reviewer', file), text);
  await mkdir(join(project, 'skills/careful'), { recursive: true });
  const skill = '---\nname: careful\ndescription: How to edit.\nallowed-tools: Edit\n---\nChange one thing.\n';
  await writeFile(join(project, 'skills/careful/SKILL.md'), skill);
  return loadAgent({ project, shipped }, 'execute', await loadConfig({ project, shipped }, {}));
}

type Files = (lane: AgentConversation) => ToolHost;

/** One call of `call_subagent`, answered as scripted. */
async function play(agentYaml: string, answers: readonly ScriptedAnswer[], filesOf?: Files) {
  const agent = await agentWith(agentYaml);
  const session = createAgentConversation({ entries: [], step: 's', onAppend: () => Promise.resolve() });
  await session.append({ type: 'message', origin: 'harness', message: createUserMessage('the agent’s own task') });
  const model = scriptedModel(answers);
  const asked: string[] = [];
  const prompts = await loadPrompts({ project: shipped, shipped });
  const described: string[] = [];
  const catalogue = {
    describe: async (name: string) => {
      described.push(name);
      return { ...facts(), id: name };
    },
  };
  const parts = {
    ...{
      agent,
      rules: shipped,
      modelFor: () => model,
      servers: {
        hostOf: () => ({ definitions: [], call: async () => ({ content: '', is_error: true }) }),
        close: async () => undefined,
      },
      reminders: { cut: 'CUT', empty: 'EMPTY', thinking: 'THINKING', limit: '{{left}} of {{most}}' },
    },
    filesOf: filesOf ?? ((lane) => withinSkill(disk({}), () => lane.entries)),
    calls: { step: 'design.r1', now: () => new Date(0), write: async () => undefined },
    recall: async (task: string, limit: number) => {
      asked.push(`${task} ${limit}`);
      return ['run r1 (succeeded), execute e5: shelves count from one'];
    },
    // Nothing else of them is looked at here.
    deps: { prompts, progress: () => undefined, catalogue } as unknown as Deps,
  };
  const [tool] = await buildSubagent(session, parts, signal);
  const { content = '' } = (await tool?.run({ task: 'find the shelf' }, signal)) ?? {};
  const lane = session.all.filter((entry) => entry.lane !== 'main');
  const results = lane.flatMap((entry) =>
    entry.type === 'message' && entry.origin === 'tools'
      ? entry.message.content.flatMap((block) => (block.type === 'tool_result' ? [getResultText(block)] : []))
      : [],
  );
  return { answer: JSON.parse(content) as unknown, described, requests: model.requests, asked, session, lane, results };
}

/** Files by path; what is written can be read. */
function disk(files: Record<string, string>): ToolHost {
  const definitions = ['read', 'write', 'edit'].map((name) => ({
    ...{ name, description: '', input_schema: { type: 'object' as const } },
  }));
  return {
    definitions,
    call: async (name, { file_path, content }) => {
      if (name !== 'read') files[String(file_path)] = String(content);
      return { content: name === 'read' ? (files[String(file_path)] ?? '') : 'done', is_error: false };
    },
  };
}

const systemOf = ({ requests }: { requests: { system: { text: string }[] }[] }, place = 0) =>
  requests[place]?.system.map(({ text }) => text).join('\n') ?? '';

describe('a sub-agent that is given neither (S3.5)', () => {
  test('is sent the same bytes whether its agent has skills and memory or has none', async () => {
    const plain = await play(SUB('read'), [say('there')]);
    const rich = await play(`${SKILLS}${MEMORY}${SUB('read')}`, [say('there')]);
    expect(rich.requests).toEqual(plain.requests);
    expect(rich.asked).toEqual([]);
    expect(systemOf(rich)).not.toContain('available_skills');
    expect(rich.requests[0]?.tools.map(({ name }) => name)).toEqual(['read']);
  });
});

describe('its own texts, model and limits (S3.5)', () => {
  test('it is sent a prompt of its own and nothing of its agent’s', async () => {
    const { requests } = await play(SUB('read'), [say('there')]);
    const own = await readFile('agents/subagent/system_prompt.md', 'utf8');
    expect(systemOf({ requests })).toContain(own.trim());
    expect(JSON.stringify(requests)).not.toContain('You are Execute');
    expect(systemOf({ requests })).not.toContain('<sub_agents>');
  });

  test('it is of the model that its agent’s file names for it, else of its agent’s', async () => {
    expect((await play(SUB('read', ', model: claude-haiku-4-5'), [say('there')])).requests[0]?.model).toBe(
      'claude-haiku-4-5',
    );
    expect((await play(SUB('read'), [say('there')])).described).toEqual(['claude-sonnet-5-5']);
  });

  test('a project may give it other texts; what a summary of it must say is its own too', async () => {
    const shippedTexts = (await agentWith(SUB('read'))).subagent;
    expect(Object.keys(shippedTexts?.agent.fields ?? {})).toEqual(['findings', 'looked_at', 'still_open', 'key_paths']);
    expect(shippedTexts?.strategy).toContain('It has: read. It gives at most 9 answers');
    await expect(agentWith(SUB('read', ', agent: reviewer'))).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('agents/reviewer/'),
    });
    const files = {
      'system_prompt.md': 'You review.',
      'strategy.md': 'Ask it.',
      'summary.yaml': 'verdict: { type: string, about: x }',
    };
    const own = (await agentWith(SUB('read', ', agent: reviewer'), '', files)).subagent;
    expect(own).toMatchObject({ strategy: 'Ask it.', agent: { systemPrompt: 'You review.' } });
    expect(Object.keys(own?.agent.fields ?? {})).toEqual(['verdict']);
  });

  test('at its limit it is reminded, and what it has said comes back as partial', async () => {
    const answers = Array.from({ length: 9 }, (_, n) => ({ ...call('read', { file_path: 'a' }), id: `msg_${n}` }));
    const { answer, requests } = await play(SUB('read'), answers);
    expect(answer).toMatchObject({ ok: false, partial: true, loops: 9, why: expect.stringContaining('max_loops') });
    expect(JSON.stringify(requests[8]?.messages)).toContain('1 of 9');
    expect(JSON.stringify(requests[7]?.messages)).not.toContain('1 of 9');
  });
});

describe('skills (S3.5, S4.2)', () => {
  const yaml = `${SKILLS}${SUB('read, write, edit, skill')}`;

  test('are listed to a sub-agent whose tools name `skill`, and loaded by it alone', async () => {
    const { requests, answer, session, lane, results } = await play(yaml, [
      call('skill', { name: 'careful' }),
      call('write', { file_path: 'a', content: 'b' }),
      call('edit', { file_path: 'a', content: 'b' }),
      say('there'),
    ]);
    expect(systemOf({ requests })).toMatch(/<available_skills>[\s\S]*- careful: How to edit\./);
    expect(answer).toMatchObject({ ok: true, result: 'there', loops: 4 });
    expect(results[0]).toContain('"allowed_tools":["edit"]');
    expect(results[1]).toContain('the active skill careful allows edit besides read');
    expect(results[2]).toBe('done');
    expect(activeSkill(lane)).toMatchObject({ name: 'careful' });
    expect(activeSkill(session.entries)).toBeUndefined();
    expect(session.entries.filter(({ type }) => type === 'layer')).toEqual([]);
  });

  test('choose among what the sub-agent has, not among what its agent has', async () => {
    const { results } = await play(`${SKILLS}${SUB('read, skill')}`, [
      call('skill', { name: 'careful' }),
      say('there'),
    ]);
    expect(results[0]).toContain('"allowed_tools":[]');
  });
});

describe('memory (S3.5, S3.12)', () => {
  test('is told for the sub-agent’s own task, behind it, under its agent’s limit', async () => {
    const { requests, asked } = await play(`${MEMORY}${SUB('read', ', memory: true')}`, [say('there')]);
    expect(asked).toEqual(['find the shelf 2']);
    const texts = requests[0]?.messages.map((message) => getText(message)) ?? [];
    expect(texts.join('\n')).toMatch(/^find the shelf\n<relevant_context>[\s\S]*shelves count from one/);
  });
});

describe('its own conversation (S1.12, S3.5)', () => {
  test('`recall` and `todo_write` can be named too; what is recalled is its own', async () => {
    const { results } = await play(SUB('recall, todo_write'), [
      call('recall', { id: 'e2' }),
      call('recall', { id: 'e1' }),
      call('todo_write', { todos: [] }),
      say('there'),
    ]);
    expect(results[0]).toContain('find the shelf');
    expect(results[1]).toContain('No entry is named e1');
    expect(results[2]).toContain('"ok":true');
  });

  test('what its agent read before is nothing that it has seen, and no read of it takes the note from its agent', async () => {
    const files: Record<string, string> = { 'a.md': 'old' };
    const raw = disk(files);
    const parent = withChangeNotes(raw);
    const read = async (host: ToolHost) => (await host.call('read', { file_path: 'a.md' }, signal)).content;
    expect(await read(parent)).toBe('old');
    files['a.md'] = 'new';
    const { results } = await play(SUB('read'), [call('read', { file_path: 'a.md' }), say('there')], (lane) =>
      withChangeNotes(raw, lane.entries),
    );
    expect(results).toEqual(['new']);
    expect(await read(parent)).toContain('modified externally');
  });
});

test.each([
  ['memory: true without memory', SUB('read', ', memory: true'), /subagent\.memory.*add `memory: \{\}`/],
  ['skill without skills', SUB('read, skill'), /subagent\.tools.*add `skills: \{ folder: … \}`/],
])('%s is refused with its place', async (_name, yaml, message) => {
  await expect(agentWith(yaml)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(message),
  });
});

test('call_subagent without a word about sub-agents is refused with what to add', async () => {
  await expect(agentWith('', ', call_subagent')).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(/add `subagent: \{ tools: \[read\], max_loops: 10 \}`/),
  });
});
