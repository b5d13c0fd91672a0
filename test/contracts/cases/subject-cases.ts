/** The rules of every subject that is no model, over any transport. */
import assert from 'node:assert/strict';
import type { Conversation, ConversationStart } from '../../../src/ports/subject.ts';
import { createCases, checksFor, type Checks, type ContractCase } from './contract-case.ts';

const { signal } = new AbortController();
const hello = { type: 'user' as const, text: 'Hello' };
const START: ConversationStart = {
  prompt: 'You switch lamps.',
  tools: [{ name: 'switch', description: 'Switches a lamp.', input_schema: { type: 'object' } }],
};

/** `answers` are the texts that the subject sends, one per turn; after the last one it is silent. */
export type OpenSubject = (start: ConversationStart, answers: readonly string[]) => Promise<Conversation>;

/** Runs a check on a conversation in which the subject gives these answers. */
type WithConversation = (answers: readonly unknown[], check: (talk: Conversation) => Promise<void>) => Promise<void>;

const NO_ANSWERS = ['no JSON', '{"says":"another shape"}', 'x'.repeat(5_000_000)];

const CHECKS: Checks<WithConversation> = {
  'words, calls and money of a turn come as they were sent; a call without an id gets one': async (talking) => {
    const first = { say: 'One moment.', calls: [{ tool: 'switch', args: { on: true } }], cost_usd: 0.5 };
    await talking([first, { say: 'On.' }], async (talk) => {
      const one = await talk.next(hello, 5000, signal);
      assert.deepEqual([one.says, one.costUsd, one.end], ['One moment.', 0.5, undefined]);
      const [call] = one.calls;
      assert.deepEqual([one.calls.length, call?.tool, call?.args], [1, 'switch', { on: true }]);
      assert.match(call?.id ?? '', /./);
      const results = [{ id: call?.id ?? '', tool: 'switch', output: { ok: true }, is_error: false }];
      const two = await talk.next({ type: 'results', results }, 5000, signal);
      assert.deepEqual([two.says, two.calls], ['On.', []]);
    });
  },
  ...checksFor([...NO_ANSWERS.entries()], ([number, answer]) => [
    `an answer that is none (${number}) ends the conversation as its own fault, and never rejects`,
    (talking: WithConversation) =>
      talking([answer], async (talk) => {
        const { calls, end } = await talk.next(hello, 5000, signal);
        assert.deepEqual([calls, end?.stop], [[], 'crashed']);
      }),
  ]),
  'silence ends at its time': (talking) =>
    talking([], async (talk) => {
      assert.equal((await talk.next(hello, 50, signal)).end?.stop, 'seconds');
    }),
  'an abort rejects with its reason': (talking) =>
    talking([], async (talk) => {
      const controller = new AbortController();
      const waiting = talk.next(hello, 5000, controller.signal);
      const reason = new Error('enough');
      controller.abort(reason);
      await assert.rejects(waiting, (error) => error === reason);
    }),
};

const FINISHING: Checks<WithConversation> = {
  'it may say that it has finished': (talking) =>
    talking([{ say: 'Bye.', done: true }], async (talk) => {
      const { says, end } = await talk.next(hello, 5000, signal);
      assert.deepEqual([says, end?.stop], ['Bye.', 'done']);
    }),
};

/** `mayFinish` is false for protocols in which a subject cannot end the conversation. */
export function subjectCases(open: OpenSubject, { mayFinish = true } = {}): ContractCase[] {
  const talking: WithConversation = async (answers, check) => {
    const texts = answers.map((answer) => (typeof answer === 'string' ? answer : JSON.stringify(answer)));
    const talk = await open(START, texts);
    try {
      await check(talk);
    } finally {
      await talk.close();
    }
  };
  return createCases({ ...CHECKS, ...(mayFinish ? FINISHING : {}) }, async () => talking);
}
