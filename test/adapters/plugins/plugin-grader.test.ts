/** A plugin that answers for graders, whatever its code does. */
import { expect, test } from 'vitest';
import { pluginGrader } from '../../../src/adapters/plugins/plugin-grader.ts';
import { CONTRACT_GRADER, graderCases } from '../../../src/app/contracts/grader-cases.ts';
import type { PluginGrader, PluginQuestion } from '../../../src/ports/plugins/plugins.ts';

const fault = (error: unknown): Error => new Error(`plugins/x.mjs:1: ${String(error)}`);
const REQUEST = {
  ...{ model: 'plugin:x', system: [], tools: [], max_tokens: 1 },
  messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: '<record>\nuser: Hello\n</record>' }] }],
};
const ask = (judge: PluginGrader, signal = new AbortController().signal) =>
  pluginGrader({ judge, fault })(CONTRACT_GRADER).call(REQUEST, signal);

const honest: PluginGrader = ({ record }) => {
  const [day] = /14 May/.exec(record) ?? [];
  const verdict = day === undefined ? 'fail' : 'pass';
  return { verdict, reason: 'by the day', quotes: [day ?? record.slice(0, 4)] };
};
for (const { title, run } of graderCases(pluginGrader({ judge: honest, fault }))) test(title, run);

test('it gets the question and the conversation, and cannot change either for others', async () => {
  const seen: PluginQuestion[] = [];
  const judge: PluginGrader = (asked) => {
    seen.push({ ...asked });
    asked.question = 'another';
    return { verdict: 'pass', reason: 'x', quotes: ['Hello'] };
  };
  await ask(judge);
  const { content, usage } = await ask(judge);
  expect(seen[1]).toMatchObject({ record: 'user: Hello', question: CONTRACT_GRADER.question, id: 'says-when' });
  expect(content).toMatchObject([{ type: 'tool_use', name: 'give_verdict', input: { verdict: 'pass' } }]);
  expect(usage.output_tokens).toBe(0);
});

test('what it throws or cannot say in JSON is no verdict, and is named; a hang ends with the call', async () => {
  const circle: { verdict: 'pass'; self?: object } = { verdict: 'pass' };
  circle.self = circle;
  for (const answer of [
    () => {
      throw new Error('no quorum');
    },
    () => Promise.reject(new Error('no quorum')),
    () => circle,
    () => 10n,
    () => 'x'.repeat(300_000),
  ])
    await expect(ask(answer as unknown as PluginGrader)).rejects.toMatchObject({
      code: 'model_unavailable',
      message: expect.stringContaining('plugins/x.mjs:1'),
    });
  const stop = new AbortController();
  const hanging = ask(() => new Promise<never>(() => undefined), stop.signal);
  const reason = new Error('enough');
  stop.abort(reason);
  await expect(hanging).rejects.toBe(reason);
});
