/** The guarantees of the model port, whichever adapter is used. */
import assert from 'node:assert/strict';
import type { Model, ModelRequest, ModelResponse } from '../../../src/ports/model.ts';
import { createCases, type Checks, type ContractCase } from './contract-case.ts';
import { assertLike, assertRejects } from './assertions.ts';
import { Block, StopReason, Usage } from '../../../src/transcript/message.ts';

/** The planned reaction of the model behind the port to its next call. */
export type ContractAnswer = { respond: ModelResponse } | { fail: 'refused' | 'unavailable' } | { hang: true };

export type ModelUnderTest = {
  model: Model;
  /** Counts the requests that have reached the other side of the adapter. */
  calls: () => number;
  /** Resolves when the first request has reached the other side. */
  called: () => Promise<void>;
  close: () => Promise<void>;
};

export const contractRequest: ModelRequest = {
  model: 'claude-opus-5-5',
  system: [{ type: 'text', text: 'You are a test.', cache_control: { type: 'ephemeral' } }],
  tools: [{ name: 'read', description: 'Read a file.', input_schema: { type: 'object' } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Begin.' }] }],
  max_tokens: 64_000,
};

export const contractResponse: ModelResponse = {
  id: 'msg_1',
  model: 'claude-opus-5-5',
  requestId: 'req_test',
  content: [
    { type: 'thinking', thinking: '', signature: 'c2ln' },
    { type: 'text', text: 'I read the brief. 読みます 😀' },
    { type: 'tool_use', id: 'toolu_1', name: 'read', input: { file_path: 'scenario/brief.md', view_range: [1, 5] } },
  ],
  stopReason: 'tool_use',
  usage: { input_tokens: 12, cache_creation_input_tokens: 300, cache_read_input_tokens: 4000, output_tokens: 57 },
};

export type OpenModel = (answer: ContractAnswer) => Promise<ModelUnderTest>;

async function withModel(
  open: OpenModel,
  answer: ContractAnswer,
  check: (subject: ModelUnderTest) => Promise<void>,
): Promise<void> {
  const subject = await open(answer);
  try {
    await check(subject);
  } finally {
    await subject.close();
  }
}

const CHECKS: Checks<OpenModel> = {
  'resolves with the whole response, block for block': (open) =>
    withModel(open, { respond: contractResponse }, async ({ model }) => {
      const response = await model.call(contractRequest, new AbortController().signal);
      assertLike(response, contractResponse);
      for (const block of response.content) Block.parse(block);
      StopReason.parse(response.stopReason);
      Usage.parse(response.usage);
    }),
  'leaves the request as it was': (open) =>
    withModel(open, { respond: contractResponse }, async ({ model }) => {
      const request = structuredClone(contractRequest);
      await model.call(request, new AbortController().signal);
      assertLike(request, contractRequest);
    }),
  'a refusal is final': (open) =>
    withModel(open, { fail: 'refused' }, async ({ model, calls }) => {
      const call = model.call(contractRequest, new AbortController().signal);
      await assertRejects(call, { name: 'HarnessError', code: 'model_refused', retryable: false });
      assert.equal(calls(), 1);
    }),
  'a model that is not available may be tried again later': (open) =>
    withModel(open, { fail: 'unavailable' }, async ({ model }) => {
      const call = model.call(contractRequest, new AbortController().signal);
      await assertRejects(call, { name: 'HarnessError', code: 'model_unavailable', retryable: true });
    }),
  'an abort before the call sends nothing and rejects with its reason': (open) =>
    withModel(open, { respond: contractResponse }, async ({ model, calls }) => {
      const reason = new Error('the run was cancelled');
      await assert.rejects(model.call(contractRequest, AbortSignal.abort(reason)), (error) => error === reason);
      assert.equal(calls(), 0);
    }),
  'an abort during the call rejects with its reason': (open) =>
    withModel(open, { hang: true }, async ({ model, called }) => {
      const controller = new AbortController();
      const call = model.call(contractRequest, controller.signal);
      await called();
      const reason = new Error('the run was cancelled');
      controller.abort(reason);
      await assert.rejects(call, (error) => error === reason);
    }),
};

export function modelCases(open: OpenModel): ContractCase[] {
  return createCases(CHECKS, async () => open);
}
