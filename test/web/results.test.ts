/** The results of a run as a browser gets them: the table, a sample between its neighbours, its iterations, a trial, the code. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { failing, flaky, sample } from '../report/makers.ts';
import { recordedCalls } from '../support/recorded-calls.ts';
import { signedIn, type Client } from './client.ts';
import { useDesk } from './use-desk.ts';
import { evaluated } from './evaluated.ts';

const desk = useDesk();
let client: Client;
beforeEach(async () => {
  client = await signedIn(desk.review());
});

const verdicts = [{ checker: 'identity', pass: false, reason: 'it asked for nothing', evidence: [] }];
const asked = failing('asked', 2, {}, { cause: '2', covers: ['R2'] }, { verdicts });
const hrefs = (text: string, part: string) =>
  [...text.matchAll(/href="([^"]*)"/g)].flatMap(([, href = '']) => (href.includes(part) ? [href] : []));

test('time and money of each trial are a picture without a script, whose marks lead to the trials', async () => {
  await evaluated(desk, 'run-1', [[asked, sample('fine'), sample('also-fine')]]);
  const { text } = await client.get('/runs/run-1/results');
  const chart = /<svg class="trials"[^]*?<\/svg>/.exec(text)?.[0] ?? '';
  expect(chart.match(/<circle class="passed"/g)).toHaveLength(2);
  expect(chart.match(/<path class="failed"/g)).toHaveLength(1);
  expect(hrefs(chart, '/trials/1')).toHaveLength(3);
  expect(chart).toMatch(/asked, trial 1: fail, 1\.2.s, \$0\.01/);
  expect(text).toMatch(/Half of 3 trials took at most 1\.2.s and \$0\.01\./);
  expect(chart).not.toContain('NaN');
});

test('a trace of two thousand lines is pages; each line has an address, and the page of the deciding one comes first', async () => {
  const trials = failing('asked', 2, {}, {}, { verdicts }).trials.map((trial) => ({
    ...trial,
    deciding: { step: 1203, line: 1203, quote: 'here' },
  }));
  const run = await evaluated(desk, 'run-1', [[{ ...asked, trials }]]);
  const file = join(run.dir, 'execution_outputs/iteration_1/traces/asked.1.jsonl');
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  const [start = '', end = ''] = [lines[0], lines.at(-1)];
  const said = (number: number) => JSON.stringify({ type: 'user', step: number, text: `line number ${number}` });
  await writeFile(file, [start, ...Array.from({ length: 1998 }, (_, index) => said(index + 2)), end, ''].join('\n'));
  const path = '/runs/run-1/iterations/1/samples/asked/trials/1';
  const { text } = await client.get(path);
  expect(text).toContain('2000 lines');
  expect(text).toContain('page 4 of 5');
  for (const line of ['1', '1201', '1203', '1600', '2000']) expect(text).toContain(`id="L${line}"`);
  expect(text).not.toContain('id="L1200"');
  const first = (await client.get(`${path}?page=1`)).text;
  expect(first).toContain(`href="${path}?page=4#L1203">where it was decided`);
  expect(hrefs(first, 'raw=7#')).toEqual([`${path}?page=1&amp;raw=7#L7`]);
  // The address of one line with its bytes holds without the page.
  expect((await client.get(`${path}?raw=777`)).text).toMatch(
    /page 2 of 5[\s\S]*&quot;text&quot;: &quot;line number 777&quot;/,
  );
  expect((await client.get('/runs/run-1/iterations/1/samples/asked')).text).toContain('all of it as a tree');
});

describe('the table of a run', () => {
  test('has a row for each sample and a cell for each iteration, which leads there and keeps the filter', async () => {
    await evaluated(desk, 'run-1', [
      [sample('asked'), flaky],
      [asked, flaky, sample('fresh')],
    ]);
    const { text } = await client.get('/runs/run-1/results');
    expect(text.match(/<tr data-row/g)).toHaveLength(3);
    expect(text).toMatch(
      /class="bad" data-name="i2">\s*<a\s+class="proof"\s+href="\/runs\/run-1\/iterations\/2\/samples\/asked"/,
    );
    expect(text).toContain('failed, cause: tools (layer 2)');
    expect(text).toContain('failed, cause: sample or subject (layer 4), 1 of 2 trials passed');
    expect(text).toContain('data-live="/runs/run-1/live"');
    const failed = (await client.get('/runs/run-1/results?rule=R2')).text;
    expect(failed.match(/<tr data-row/g)).toHaveLength(1);
    expect(hrefs(failed, '/iterations/2/samples/asked')).toEqual([
      '/runs/run-1/iterations/2/samples/asked?rule=R2',
      '/runs/run-1/iterations/2/samples/asked?rule=R2',
      '/runs/run-1/iterations/2/samples/asked/trials/1',
    ]);
  });

  test('is read again when a file has changed, and says so where nothing was evaluated', async () => {
    const run = await evaluated(desk, 'run-1', [[sample('asked')]]);
    expect((await client.get('/runs/run-1/results')).text).not.toContain('class="bad"');
    const file = join(run.dir, 'execution_outputs/iteration_1/results.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"outcome":"pass"', '"outcome":"fail"'));
    expect((await client.get('/runs/run-1/results')).text).toContain('class="bad"');
    await desk.waiting('run-2');
    expect((await client.get('/runs/run-2/results')).text).toContain('No iteration has been evaluated yet.');
  });

  test('five hundred samples in ten iterations are pages of a hundred, each under 60 KB on the wire', async () => {
    const many = Array.from({ length: 500 }, (_, index) => sample(`customer-asks-for-money-back-case-${index + 1}`));
    await evaluated(
      desk,
      'run-1',
      Array.from({ length: 10 }, () => many),
    );
    const { text } = await client.get('/runs/run-1/results?page=2');
    expect(text.match(/<tr data-row/g)).toHaveLength(100);
    expect(text).toContain('page 2 of 5');
    expect(gzipSync(text).length).toBeLessThan(60 * 1024);
  });
});

describe('a sample', () => {
  test('lies between its neighbours of the filter, and leads to its other iterations', async () => {
    await evaluated(desk, 'run-1', [
      [sample('asked'), flaky],
      [asked, flaky, sample('fresh')],
    ]);
    const { text } = await client.get('/runs/run-1/iterations/2/samples/wavering?show=failing');
    expect(text).toContain('id="previous" rel="prev" href="/runs/run-1/iterations/2/samples/asked?show=failing"');
    expect(text).toContain('2 of 2');
    expect(text).not.toContain('id="next"');
    expect(hrefs(text, '/iterations/1/samples/wavering')).toEqual([
      '/runs/run-1/iterations/1/samples/wavering?show=failing',
    ]);
    expect(text).toContain('href="/runs/run-1/results?show=failing"');
  });

  test('shows the sentences of its rules and leads to the code of its checkers and tools, which is escaped', async () => {
    await evaluated(desk, 'run-1', [[asked]]);
    const { text } = await client.get('/runs/run-1/iterations/1/samples/asked');
    expect(text).toContain('Goods may be returned up to day 30 after delivery.');
    expect(hrefs(text, '/files/')).toEqual(
      ['samples/asked.json', 'checkers/identity.mjs', 'tools/issue_refund.mjs'].map(
        (path) => `/runs/run-1/iterations/1/files/${path}`,
      ),
    );
    const code = await client.get('/runs/run-1/iterations/1/files/checkers/identity.mjs');
    expect(code.text).toContain('<li id="L2">// &lt;b&gt;v1&lt;/b&gt;</li>');
  });
});

describe('a trial', () => {
  test('is a tree of steps; a line has an address, and its bytes on request', async () => {
    const run = await evaluated(desk, 'run-1', [[asked]]);
    const file = join(run.dir, 'execution_outputs/iteration_1/traces/asked.1.jsonl');
    const answers = JSON.stringify([{ durationMs: 1500, in: 1200, out: 40, usd: 0.02 }]);
    await writeFile(file, (await readFile(file, 'utf8')).replace('"durationMs"', `"answers":${answers},"durationMs"`));
    const path = '/runs/run-1/iterations/1/samples/asked/trials/1';
    const { text } = await client.get(path);
    expect(text).toContain('1.5 s · 1.2k tokens in, 40 out · $0.02 · 1 call');
    expect(text).toContain('<li id="L3" class="call"');
    expect(text).toContain(`href="${path}?raw=3#L3"`);
    expect(text).not.toContain('is_error');
    expect((await client.get(`${path}?raw=3`)).text).toContain('&quot;is_error&quot;: false');
    expect((await client.get(`${path.slice(0, -1)}2`)).status).toBe(404);
  });
});

test.each([
  '/runs/run-1/iterations/1/files/results.json',
  '/runs/run-1/iterations/1/files/checkers/..%2f..%2fresults.json',
  '/runs/run-1/iterations/1/files/traces/asked.1.jsonl',
  '/runs/run-1/iterations/1/files/checkers/.hidden',
  '/runs/run-1/iterations/1/files/constructor/x',
  '/runs/run-1/iterations/9/files/checkers/identity.mjs',
  '/runs/run-1/iterations/1/samples/asked/trials/0',
  '/runs/run-1/samples/constructor',
])('%s is not here', async (path) => {
  await evaluated(desk, 'run-1', [[asked]]);
  const page = await client.get(path);
  expect(page.status).toBe(404);
  expect(page.text).not.toMatch(/"version"|\/tmp\//);
});

describe('the model calls of a trial', () => {
  const path = '/runs/run-1/iterations/1/samples/asked/trials/1';
  const hostile = '</pre><script>alert(1)</script>\u202e';
  const request = (...messages: string[]) =>
    JSON.stringify({ model: 'm', messages, system: 'You are the desk. '.repeat(9) });
  const answered = { status: 200, answer: Buffer.from(`data: ${hostile}`) };

  async function recorded() {
    const run = await evaluated(desk, 'run-1', [[asked]]);
    const calls = await recordedCalls([
      [{ request: request(hostile), ...answered }],
      [
        { request: request(hostile, 'second'), answer: Buffer.alloc(0) },
        { request: request(hostile, 'second'), ...answered },
      ],
    ]);
    const file = join(run.dir, 'execution_outputs/iteration_1/traces/asked.1.calls.json');
    await writeFile(file, JSON.stringify(calls));
    return file;
  }

  test('are one link for each in the step where they were made; where none were recorded the page says so', async () => {
    const file = await recorded();
    expect(hrefs((await client.get(path)).text, '/calls/')).toEqual([`${path}/calls/1`, `${path}/calls/2`]);
    await rm(file);
    const { text } = await client.get(path);
    expect(text).toContain('Requests and answers of models were not recorded.');
    expect((await client.get(`${path}/calls/1`)).status).toBe(404);
  });

  test('show the request part by part, only what is new of it, and the answer as it came, all of it as text', async () => {
    await recorded();
    const first = (await client.get(`${path}/calls/1`)).text;
    expect(first).not.toContain('<script>alert');
    expect(first).toContain('data: &lt;/pre&gt;&lt;script&gt;alert(1)');
    expect(first).toContain('You are the desk.');
    expect(hrefs(first, '/calls/')).toEqual([`${path}/calls/2`, `${path}/calls/1/answer`, `${path}/calls/1/request`]);
    const second = (await client.get(`${path}/calls/2`)).text;
    expect(second).toContain('the first 1 as in call 1, then');
    expect(second).not.toContain('You are the desk.');
    expect(second).toContain('as in call 2');
    expect(second).toMatch(/Try 1: answer[\s\S]*None came\.[\s\S]*Try 2: answer/);
  });

  test('show first what the model said and called, assembled from the events of its stream', async () => {
    const run = await evaluated(desk, 'run-2', [[asked]]);
    const events = [
      { type: 'message_start', message: { role: 'assistant', content: [], usage: {} } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'One moment, <b>' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'please.' } },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 't1', name: 'find_order', input: {} },
      },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"id":' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '"HW-7"}' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} },
      { type: 'message_stop' },
    ];
    const answer = Buffer.from(events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join(''));
    const calls = await recordedCalls([[{ request: request(hostile), answer }]]);
    await writeFile(join(run.dir, 'execution_outputs/iteration_1/traces/asked.1.calls.json'), JSON.stringify(calls));
    const { text } = await client.get(`${path.replace('run-1', 'run-2')}/calls/1`);
    expect(text).toContain('One moment, &lt;b&gt;please.');
    expect(text).toContain('find_order {&quot;id&quot;:&quot;HW-7&quot;}');
    expect(text).not.toContain('content_block_delta');
    expect(text.indexOf('One moment')).toBeLessThan(text.indexOf('>Request<'));
  });

  test('are there byte for byte, as plain text that nothing runs in', async () => {
    await recorded();
    const whole = await client.get(`${path}/calls/2/request?try=2`);
    expect(whole.text).toBe(request(hostile, 'second'));
    expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(whole.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await client.get(`${path}/calls/2/answer?try=2`)).text).toBe(`data: ${hostile}`);
    for (const wrong of ['3', '2/request?try=3', '2/request?try=-1'])
      expect((await client.get(`${path}/calls/${wrong}`)).status).toBe(404);
  });

  test('of a file that is not what was recorded nothing is shown', async () => {
    const file = await recorded();
    await writeFile(file, (await readFile(file, 'utf8')).replace(/"zstd":"[^"]*"/, '"zstd":"AAAA"'));
    expect((await client.get(`${path}/calls/1`)).status).toBe(500);
    expect((await client.get(path)).status).toBe(200);
  });
});

test('a sample may be named in any script: its page, its trial and its file are found', async () => {
  const id = '退款-超期';
  await evaluated(desk, 'run-1', [[failing(id, 2, {}, {}, { verdicts })]]);
  const path = `/runs/run-1/iterations/1/samples/${encodeURIComponent(id)}`;
  expect((await client.get('/runs/run-1/results')).text).toContain(path);
  expect((await client.get(path)).text).toContain('it asked for nothing');
  expect((await client.get(`${path}/trials/1`)).text).toContain('id="L1"');
  const file = `/runs/run-1/iterations/1/files/samples/${encodeURIComponent(id)}.json`;
  expect((await client.get(file)).text).toContain(id);
});
