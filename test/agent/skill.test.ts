/** Skills as an agent uses them: listed under a cap, loaded by name, held to what they allow (S3.1, S4.2). */
import { describe, expect, test } from 'vitest';
import { skillLines, type Skill } from '../../src/agent/definition.ts';
import { createAgentConversation } from '../../src/agent/agent-conversation.ts';
import { isGoverned } from '../../src/context/facts/active-skill.ts';
import { controlToolHost } from '../../src/agent/tools/control-tool.ts';
import { skillTool, withinSkill } from '../../src/agent/tools/skill.ts';
import { estimateText } from '../../src/transcript/tokens.ts';
import type { ToolHost } from '../../src/ports/tools/tool-host.ts';

const { signal } = new AbortController();
const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
  ...{
    name,
    description: `does ${name}`,
    allowedTools: undefined,
    body: `# ${name}`,
    dir: `/skills/${name}`,
    files: [],
  },
  ...more,
});

describe('<available_skills> (S4.2)', () => {
  test('one line a skill', () => {
    const lines = skillLines([skill('csv'), skill('pdf', { description: 'two\nlines' })], { most: 5, tokens: 100 });
    expect(lines).toEqual(['csv: does csv', 'pdf: two lines']);
  });

  test('what is over the cap is shortened or left out, and said to be', () => {
    const many = Array.from({ length: 30 }, (_, n) => skill(`s${n}`, { description: 'word '.repeat(200) }));
    const lines = skillLines(many, { most: 10, tokens: 400 });
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('(20 more skills left out)');
    expect(lines.slice(0, 10).reduce((sum, line) => sum + estimateText(line), 0)).toBeLessThanOrEqual(400);
    expect(lines[9]).toMatch(/^s9: word/);
  });
});

describe('the tool skill', () => {
  const tools = ['read', 'write', 'todo_write', 'skill'];
  const skills = [skill('pdf', { allowedTools: ['Read', 'Multi-Edit', 'WRITE(x:*)'], files: ['a.py'] }), skill('csv')];
  const host = controlToolHost([skillTool('d', skills, tools)]);
  const load = async (input: Record<string, unknown>) => host.call('skill', input, signal);

  test('answers with what it allows of the agent’s own tools, its files and its text, in this order', async () => {
    const { content, is_error } = await load({ name: 'pdf' });
    expect(is_error).toBe(false);
    expect(content).toBe(
      JSON.stringify({
        ok: true,
        name: 'pdf',
        allowed_tools: ['read', 'write'],
        files: ['skills/pdf/a.py'],
        body: '# pdf',
      }),
    );
    expect(JSON.parse((await load({ name: 'csv' })).content)).toEqual({ ok: true, name: 'csv', body: '# csv' });
    expect(JSON.parse((await load({ name: 'none' })).content)).toEqual({ ok: true, name: 'none' });
  });

  test.each([{ name: 'nope' }, { name: '../pdf' }, { name: '__proto__' }, {}, { name: 'pdf', more: 1 }])(
    '%j is an error that names the skills there are',
    async (input) => {
      const { content, is_error } = await load(input);
      expect(is_error).toBe(true);
      expect(content).toMatch(/^skill: /);
    },
  );

  test('the names stand in the tool’s own schema', () => {
    expect(JSON.stringify(host.definitions[0]?.input_schema)).toContain('"enum":["pdf","csv","none"]');
  });
});

describe('an active skill (S3.1)', () => {
  const done: string[] = [];
  const files: ToolHost = {
    definitions: ['read', 'write', 'edit'].map((name) => ({ name, description: '', input_schema: { type: 'object' } })),
    call: async (name) => {
      done.push(name);
      return { content: 'done', is_error: false };
    },
  };

  async function after(...answers: object[]) {
    const session = createAgentConversation({ entries: [], step: 's', onAppend: () => Promise.resolve() });
    for (const [n, answer] of answers.entries()) {
      const id = `toolu_${n}`;
      const use = { type: 'tool_use' as const, id, name: 'skill', input: {} };
      await session.append({ type: 'message', origin: 'model', message: { role: 'assistant', content: [use] } });
      const result = { type: 'tool_result' as const, tool_use_id: id, content: JSON.stringify(answer) };
      await session.append({ type: 'message', origin: 'tools', message: { role: 'user', content: [result] } });
    }
    done.length = 0;
    const host = withinSkill(files, () => session.entries);
    return async (name: string) => host.call(name, {}, signal);
  }

  test('lets through what it allows, and reading always; what else is asked is answered and not done', async () => {
    const call = await after({ ok: true, name: 'pdf', allowed_tools: ['write'] });
    expect((await call('write')).is_error).toBe(false);
    expect((await call('read')).is_error).toBe(false);
    const refused = await call('edit');
    expect(refused).toEqual({
      is_error: true,
      content: expect.stringMatching(/skill pdf allows write .*"name":"none"/),
    });
    expect(done).toEqual(['write', 'read']);
  });

  test.each([
    ['without a word about tools', [{ ok: true, name: 'csv' }]],
    [
      'put away',
      [
        { ok: true, name: 'pdf', allowed_tools: [] },
        { ok: true, name: 'none' },
      ],
    ],
    ['that was never loaded', []],
  ])('%s narrows nothing', async (_name, answers) => {
    const call = await after(...answers);
    expect((await call('edit')).is_error).toBe(false);
  });

  test('that allows nothing still leaves reading and everything that ends a step', async () => {
    const call = await after({ ok: true, name: 'pdf', allowed_tools: [] });
    expect((await call('write')).content).toContain('none of these tools besides read');
    expect((await call('read')).is_error).toBe(false);
    expect(['submit_design', 'recall', 'todo_write', 'skill', 'read'].filter(isGoverned)).toEqual([]);
  });
});
