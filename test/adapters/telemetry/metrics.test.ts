/** Metrics are counted by the names of the GenAI conventions, for the page that Prometheus reads. */
import { expect, test } from 'vitest';
import { tracedModel } from '../../../src/adapters/telemetry/traced-model.ts';
import { countRetries } from '../../../src/app/models/open-model-access.ts';
import { HarnessError } from '../../../src/errors.ts';
import { contractRequest } from '../../contracts/model.contract.ts';
import { say } from '../../support/responses.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { eachReceived, makeRun } from './each-received.ts';

const here = eachReceived();
const signal = new AbortController().signal;

test('calls, tokens, failures, samples, cost and retries are told, each by its attributes', async () => {
  const run = await makeRun();
  const telemetry = here.open({ OTEL_SERVICE_NAME: 'desk' });
  const refused = new HarnessError('model_refused', 'no');
  const options = { endpoint: 'the offline model', catalogue: { describe: () => Promise.reject(refused) } };
  const model = tracedModel(scriptedModel([say('one'), say('two'), refused]), telemetry, options);
  await telemetry.forRun(run, async () => {
    await model.call(contractRequest, signal);
    await model.call(contractRequest, signal);
    await model.call(contractRequest, signal).catch(() => undefined);
    for (const outcome of ['pass', 'pass', 'fail'])
      await telemetry.span('sample s1', {}, async (tell) => tell({ 'tandem.sample.outcome': outcome }));
  });
  for (const usd of [0.25, 0.5]) telemetry.count('tandem.cost', usd, { 'gen_ai.agent.name': 'init' });
  const progress = countRetries(() => undefined, telemetry);
  for (const what of ['model call', 'step of run-1', 'step of run-2'])
    progress({ type: 'retry', what, attempt: 2, delayMs: 1, reason: 'away' });
  const change = { type: 'item_added', entry: 'e8', item: 'recap' } as const;
  for (const agent of ['init', 'init/subagent-0a0b0c0d']) progress({ type: 'context', agent, change });
  const points = (name: string) =>
    telemetry
      .measured()
      .filter((one) => one.name === name)
      .flatMap(({ series }) => series.map((one) => ({ ...one, name })));

  const { usage } = say('one');
  const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  expect(
    points('gen_ai.client.token.usage').map(({ count, sum, facts }) => [count, sum, facts['gen_ai.token.type']]),
  ).toEqual([
    [2, input * 2, 'input'],
    [2, usage.output_tokens * 2, 'output'],
  ]);
  expect(points('gen_ai.client.operation.duration').map(({ count, facts }) => [count, facts['error.type']])).toEqual([
    [2, undefined],
    [1, 'model_refused'],
  ]);
  expect(points('gen_ai.client.operation.duration')[0]?.facts).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': contractRequest.model,
  });
  expect(points('tandem.samples').map(({ sum, facts }) => [sum, facts['tandem.sample.outcome']])).toEqual([
    [2, 'pass'],
    [1, 'fail'],
  ]);
  expect(points('tandem.cost')).toMatchObject([{ sum: 0.75, facts: { 'gen_ai.agent.name': 'init' } }]);
  expect(points('tandem.context.changes')).toMatchObject([
    { sum: 2, facts: { 'gen_ai.agent.name': 'init', 'tandem.change': 'item_added' } },
  ]);
  expect(points('tandem.retries').map(({ sum, facts }) => [sum, facts['tandem.retry.what']])).toEqual([
    [1, 'model call'],
    [2, 'step'],
  ]);
  await telemetry.close();
  expect(here.complaints).toEqual([]);
});
