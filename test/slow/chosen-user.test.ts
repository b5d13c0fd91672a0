/** The small models of a trial on the wire: one chooses the moves of its user, one reads the subject's statements. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { lastJson, spendLines } from '../support/cli.ts';
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts';
import { relayedDesk, type RelayedDesk } from '../support/relay.ts';

const choose = (...moves: [move: string, quote: string][]) => ({
  calls: [{ tool: 'choose_moves', input: { moves: moves.map(([move, quote]) => ({ move, quote })) } }],
});
/** Labelled answers: the marker is what the subject says last. */
const CHOOSER = {
  version: 1,
  who: 'chooser',
  match: { system_includes: 'You decide what the user of a conversation does next' },
  turns: [
    { name: 'the end', marker: 'Moves:', steps: [choose(['end', ''])] },
    {
      name: 'the number',
      marker: 'What is the loan number?',
      steps: [choose(['tell:loan number', 'the loan number'])],
    },
  ],
};
const READER = {
  version: 1,
  who: 'reader',
  match: { system_includes: 'You compare what an agent said with what it did' },
  turns: [
    { name: 'all so', marker: '<record>', steps: [{ calls: [{ tool: 'judge_statements', input: { not_so: [] } }] }] },
    {
      name: 'one is not so',
      marker: 'Done: you have fourteen days more.',
      steps: [
        {
          calls: [
            {
              tool: 'judge_statements',
              input: { not_so: [{ sentence: 's1', kind: 'value', call: 'none', why: 'seven days were added' }] },
            },
          ],
        },
      ],
    },
  ],
};
const LIMITS = `version: 1
retry: { call_tries: 2, step_tries: 2, min_delay_ms: 5, max_delay_ms: 20 }
agents: { init: { keep_steps: 1 } }
limits: [{ provider: '*', model: '*', concurrency: 1 }]
`;

let desk: RelayedDesk;
let receiver: OtlpReceiver;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  desk = await relayedDesk(() => undefined, prepareDesk);
}, 120_000);
afterAll(async () => {
  await desk.close();
  await receiver.close();
});
beforeEach(() => {
  desk.seen.length = 0;
  desk.underWay.most = 0;
  receiver.spans.length = 0;
  desk.meddle(() => undefined);
});

async function prepareDesk(project: string): Promise<void> {
  const folder = join(project, 'scenarios/desk');
  await writeFile(join(project, 'config/profiles/one.yaml'), LIMITS);
  await writeFile(join(folder, 'simulation/chooser.yaml'), stringify(CHOOSER));
  await writeFile(join(folder, 'simulation/reader.yaml'), stringify(READER));
  const brief = join(folder, 'scenario.yaml');
  const text = await readFile(brief, 'utf8');
  // A disputed pass keeps the run from its target; there is no script for a third iteration.
  await writeFile(
    brief,
    `${text.replace('max_iterations: 5', 'max_iterations: 2')}user: { simulator: auto, model: claude-haiku-5-5 }\n`,
  );
}

const run = (id: string, ...more: string[]) =>
  desk.tandem(['run', 'desk', '--id', id, '--profile', 'one', '--on-gate', 'auto:demo', '--json', ...more], {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  });

const ITERATION = 'runs/chosen/execution_outputs/iteration_2';

/** The requests of one small model, by the name of the tool that it must answer with. */
const requestsFor = (tool: string) =>
  desk.seen.flatMap(({ body }) => {
    const { tools = [], ...request } = body as { model: string; tools?: { name: string; input_schema: object }[] };
    const own = tools.find(({ name }) => name === tool);
    return own === undefined ? [] : [{ ...request, schema: JSON.stringify(own.input_schema), tools: tools.length }];
  });

type Judged = { outcome: string; unanswered?: string; disputed?: object[] };
type WrittenResults = { user: object; samples: { id: string; outcome: string; trials: Judged[] }[] };

async function readResults(folder: string): Promise<WrittenResults> {
  return JSON.parse(
    await readFile(join(desk.project, 'scenarios/desk', folder, 'results.json'), 'utf8'),
  ) as WrittenResults;
}

test('both are asked with a closed list, and paid, limited and traced as every other call', async () => {
  const done = await run('chosen');
  expect([0, 1], done.stderr).toContain(done.code);
  const [asked] = requestsFor('choose_moves');
  expect(asked).toMatchObject({ model: 'claude-haiku-5-5', tools: 1 });
  expect(asked?.schema).toContain('"enum":["tell:loan number"');
  const [read] = requestsFor('judge_statements');
  expect(read).toMatchObject({ model: 'claude-haiku-5-5', tools: 1 });
  expect(read?.schema).toContain('"enum":["done"');
  expect(desk.underWay.most).toBe(1);
  const calls = desk.seen.filter(({ path }) => path === '/v1/messages');
  expect(receiver.spans.filter(({ name }) => name.startsWith('chat '))).toHaveLength(calls.length);
  const paid = await spendLines(join(desk.project, 'scenarios/desk/runs/chosen'));
  expect(new Set(paid.filter(({ type }) => type === 'settled').map(({ call }) => call)).size).toBe(calls.length);
  const results = await readResults(ITERATION);
  expect(results.user).toEqual({ version: 'chooser-10', chooser: 'claude-haiku-5-5' });
  const renewed = results.samples.find(({ id }) => id === 'renew-once');
  expect(renewed?.trials[0]?.disputed).toMatchObject([{ by: 'statement' }]);
  expect(results.samples.find(({ id }) => id === 'renew-reserved')).toMatchObject({ outcome: 'pass' });
  const { forecast } = lastJson(await desk.tandem(['validate', 'desk', '--json'])) as { forecast?: { parts: object } };
  if (forecast !== undefined) expect(forecast.parts).toHaveProperty('user');
});

test('three wrong answers in a row leave the trial unscored for its user', async () => {
  desk.meddle(({ body }) => {
    const text = JSON.stringify(body);
    if (!text.includes('choose_moves')) return undefined;
    return (outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      outgoing.end(streamOf([['agree', 'nothing that anybody said']]));
    };
  });
  const components = join('scenarios/desk', ITERATION);
  const done = await desk.tandem(['evaluate', 'desk', '--components', components, '--profile', 'one', '--json']);
  expect(done.code, done.stderr).not.toBe(0);
  const told = requestsFor('choose_moves').filter((one) => JSON.stringify(one).includes('The last choice was refused'));
  expect(told.length).toBeGreaterThan(1);
  const { samples } = await readResults('evaluations/1');
  const lost = samples.flatMap(({ trials }) => trials).filter(({ unanswered }) => unanswered !== undefined);
  expect(lost.map(({ outcome }) => outcome)).toContain('unscored');
  expect(lost.map(({ outcome }) => outcome)).not.toContain('fail');
});

/** The stream of one forced answer. */
function streamOf(moves: [string, string][]): string {
  const input = JSON.stringify({ moves: moves.map(([move, quote]) => ({ move, quote })) });
  const usage = { input_tokens: 10, output_tokens: 10 };
  const events = [
    {
      type: 'message_start',
      message: {
        ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-5-5', content: [] },
        ...{ stop_reason: null, stop_sequence: null, usage },
      },
    },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'choose_moves', input: {} },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: input } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}
