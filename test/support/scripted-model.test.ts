import { expect, test } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import { contractRequest, contractResponse, modelContract } from '../contracts/model.contract.ts';
import { scriptedModel, type ScriptedAnswer } from './scripted-model.ts';

modelContract('the scripted model', async (answer) => {
  const began = Promise.withResolvers<void>();
  const model = scriptedModel([scripted(answer, began.resolve)]);
  return { model, calls: () => model.requests.length, called: () => began.promise, close: async () => undefined };
});

function scripted(answer: Parameters<Parameters<typeof modelContract>[1]>[0], begin: () => void): ScriptedAnswer {
  if ('respond' in answer) return answer.respond;
  if ('hang' in answer) {
    return () => {
      begin();
      return new Promise(() => undefined);
    };
  }
  return answer.fail === 'refused'
    ? new HarnessError('model_refused', 'no')
    : new HarnessError('model_unavailable', 'not now', { retryable: true });
}

const signal = new AbortController().signal;

test('answers in order, computes from the request, and keeps a copy of each request', async () => {
  const model = scriptedModel([
    contractResponse,
    (request) => ({ ...contractResponse, id: `msg_${request.max_tokens}` }),
  ]);
  const request = structuredClone(contractRequest);
  expect((await model.call(request, signal)).id).toBe('msg_1');
  request.max_tokens = 7;
  expect((await model.call(request, signal)).id).toBe('msg_7');
  expect(model.requests.map((kept) => kept.max_tokens)).toEqual([64_000, 7]);
});

test('a request beyond the script fails and says which one it was', async () => {
  await expect(scriptedModel([]).call(contractRequest, signal)).rejects.toThrow('no answer for request 1');
});
