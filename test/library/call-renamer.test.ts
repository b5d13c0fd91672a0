/** Calls of one answer with the same id: each result goes to its call, in order, also after a restart. */
import { expect, test } from 'vitest';
import { messagesApi, openContext } from '../../src/library/context.ts';

const read = { name: 'read', description: 'reads', input_schema: { type: 'object' as const } };
const open = () => openContext({ model: 'claude-sonnet-5-5', shape: messagesApi([read]), system: 'You read.' });
const use = (file: string) => ({ type: 'tool_use' as const, id: 'a', name: 'read', input: { file } });
const result = (content: string) => ({
  role: 'user' as const,
  content: [{ type: 'tool_result' as const, tool_use_id: 'a', content }],
});

for (const restart of [false, true])
  test(`two calls with one id, twice${restart ? ', with a restart before each result' : ''}`, async () => {
    let context = await open();
    const again = async () => {
      if (!restart) return;
      const saved = context.save();
      context = await open();
      context.load(saved);
    };
    context.push({ role: 'user', content: 'Read both.' });
    for (const round of ['1', '2']) {
      context.push({ role: 'assistant', content: [use(`A${round}`), use(`B${round}`)] });
      for (const file of ['A', 'B']) {
        await again();
        context.push(result(`text of ${file}${round}`));
      }
    }
    const { messages } = await context.request(() => Promise.reject(new Error('no summary is due')));
    const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(4);
    for (const { id, input } of calls) {
      const [answer, ...more] = blocks.filter((block) => block.type === 'tool_result' && block.tool_use_id === id);
      expect(more).toEqual([]);
      expect(JSON.stringify(answer)).toContain(`text of ${(input as { file: string }).file}`);
    }
  });
