/** The rules of every plugin that answers for graders. */
import assert from 'node:assert/strict';
import type { Model, ModelRequest } from '../../ports/model.ts';
import { GraderAnswer, GraderSpec } from '../../scenario/grader.ts';
import { createCases, type Checks, type ContractCase } from './contract-case.ts';

export const CONTRACT_GRADER: GraderSpec = GraderSpec.parse({
  id: 'says-when',
  question: 'Does the agent say when the loan is due?',
  rules: ['R1'],
  pass_when: 'it names a day',
  fail_when: 'it names none',
});

const RECORDS = {
  pass: 'user: When is my book due?\nagent: It is due on 14 May.',
  fail: 'user: When is my book due?\nagent: I cannot say.',
};

type Ask = (record: string, signal?: AbortSignal) => Promise<GraderAnswer>;

const CHECKS: Checks<Ask> = {
  'a verdict comes with a reason, and with quotes that somebody said': async (ask) => {
    for (const [verdict, record] of Object.entries(RECORDS)) {
      const answer = await ask(record);
      assert.equal(answer.verdict, verdict);
      for (const quote of answer.quotes) assert.ok(record.includes(quote), `nobody said "${quote}"`);
    }
  },
  'the same conversation gets the same verdict again': async (ask) => {
    assert.equal((await ask(RECORDS.pass)).verdict, (await ask(RECORDS.pass)).verdict);
  },
  'an abort rejects with its reason': async (ask) => {
    const reason = new Error('enough');
    await assert.rejects(ask(RECORDS.pass, AbortSignal.abort(reason)), (error) => error === reason);
  },
};

/** `open` makes the grader as Tandem uses it, `graderOf(yourGrader)`, which answers the contract's question. */
export function graderCases(open: (grader: GraderSpec) => Model): ContractCase[] {
  const ask: Ask = async (record, signal = new AbortController().signal) => {
    const text = `<record>\n${record}\n</record>`;
    const request: ModelRequest = {
      ...{ model: 'plugin:x', system: [], tools: [], max_tokens: 1 },
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    };
    const { content } = await open(CONTRACT_GRADER).call(request, signal);
    const [use] = content;
    assert.ok(use?.type === 'tool_use', 'it gives a verdict');
    return GraderAnswer.parse(use.input);
  };
  return createCases(CHECKS, async () => ask);
}
