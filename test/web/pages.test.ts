/** The pages that show: run, sample, conversation, design, numbers, and what they weigh. */
import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ASSETS } from '../../src/web/browser/assets.ts';
import { sourceHref } from '../../src/web/pages/gate/rule-context.ts';
import { signedIn } from './client.ts';
import { TRACE } from './desk.ts';
import { useDesk } from './use-desk.ts';
import { threadCpu } from '../support/thread-cpu.ts';

const desk = useDesk();

describe('a sample', () => {
  test('is shown as a conversation, with its calls, what they did to the world, and the world before and after', async () => {
    await desk.waiting('run-1', [{}, {}]);
    const { text } = await (await signedIn(desk.review())).get('/runs/run-1/iterations/1/samples/return-in-time');
    expect(text).toContain('I want my money back.');
    expect(text).toContain('issue_refund');
    expect(text).toMatch(/\/paid<\/div>[\s\S]*- 0<\/div>[\s\S]*\+ 5<\/div>/);
  });

  test('of a large world shows what became other, and where what was there can be read', async () => {
    const run = await desk.waiting('run-1', [{}, {}]);
    const change = [{ op: 'replace', path: '/orders/HW-1/paid', value: 5 }];
    const base = { name: 'shop', sha256: 'f'.repeat(64), patch: [] };
    const lines = TRACE.map((line): object => {
      const { world, ...rest } = { world: undefined, ...line };
      return world === undefined ? line : { ...rest, ...('final' in line ? { change } : { base }) };
    });
    const trace = join(run.dir, 'execution_outputs/iteration_1/traces/return-in-time.1.jsonl');
    await writeFile(trace, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    const { text } = await (await signedIn(desk.review())).get('/runs/run-1/iterations/1/samples/return-in-time');
    expect(text).toMatch(/HW-1\/paid<\/div>[\s\S]*- as in samples\/worlds\/shop\.json[\s\S]*\+ 5<\/div>/);
  });

  test('whose trace is broken names the file', async () => {
    const run = await desk.waiting('run-1', [{}, {}]);
    await writeFile(join(run.dir, 'execution_outputs/iteration_1/traces/return-in-time.1.jsonl'), '{"type":"start"');
    const page = await (await signedIn(desk.review())).get('/runs/run-1/iterations/1/samples/return-in-time');
    expect(page.status).toBe(500);
    expect(page.text).toContain('traces/return-in-time.1.jsonl is not whole JSON');
    expect(page.text).not.toContain(desk.root);
  });
});

test('a file that is a link leads nowhere, and the refusal does not tell where the runs lie', async () => {
  const run = await desk.waiting('run-1');
  await mkdir(join(run.dir, 'transcripts'));
  await symlink('/etc/hostname', join(run.dir, 'transcripts/init.jsonl'));
  const page = await (await signedIn(desk.review())).get('/runs/run-1/transcripts/init');
  expect(page.status).toBe(500);
  expect(page.text).toContain('…/init.jsonl is a symbolic link');
  expect(page.text).not.toContain(desk.root);
});

test('a source is read by the name and in the encoding that its user gave it, and no other file is', async () => {
  const run = await desk.waiting('run-1');
  const path = 'policies/退货 & Rückgabe (1).md';
  await run.write(`scenario/${path}`, Buffer.from('\uFEFF# 退货\nThirty days.\n', 'utf16le'));
  const client = await signedIn(desk.review());
  const page = await client.get(sourceHref('run-1', path));
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('<li id="L1"># 退货</li>')]);
  for (const wrong of ['..%2Fgates', 'a/..%2F..%2Fevents', '%00', 'a%5Cb', 'none.md'])
    expect([404, 400], wrong).toContain((await client.get(`/runs/run-1/sources/${wrong}`)).status);
});

describe('a run', () => {
  test('shows its story and leads to gates, samples and conversations', async () => {
    const run = await desk.waiting('run-1', [{}, {}]);
    const base = { version: 1 as const, parents: [], lane: 'main' };
    await run.transcripts.publish('init', [
      {
        ...base,
        id: 'e1',
        type: 'message',
        origin: 'harness',
        message: { role: 'user', content: [{ type: 'text', text: 'the task' }] },
      },
    ]);
    const client = await signedIn(desk.review());
    const { text } = await client.get('/runs/run-1');
    for (const href of [
      '/runs/run-1/gates/HITL-1.r2',
      '/runs/run-1/iterations/1/samples/return-in-time',
      '/runs/run-1/transcripts/init',
    ]) {
      expect(text).toContain(`href="${href}"`);
    }
    expect(text).toContain('data-live="/runs/run-1/live"');
    expect((await client.get('/runs/run-1/transcripts/init')).text).toContain('the task');
    expect((await client.get('/runs/run-1/transcripts/execute')).status).toBe(404);
  });

  test('shows what an agent and its sub-agents say while they say it', async () => {
    const run = await desk.waiting('run-1');
    const said = (id: string, lane: string, text: string) =>
      `${JSON.stringify({ version: 1, id, parents: [], lane, step: 'execute.i1', type: 'message', origin: 'harness', message: { role: 'user', content: [{ type: 'text', text }] } })}\n`;
    const wip = join(run.dir, 'wip/execute.i1@w1');
    await mkdir(wip, { recursive: true });
    const lines = [said('e1', 'main', 'the iteration'), said('e2', 'subagent-ab12cd34', 'count the files')];
    await writeFile(join(wip, 'transcript.jsonl'), `${lines.join('')}{"torn`);
    const client = await signedIn(desk.review());
    expect((await client.get('/runs/run-1')).text).toContain('href="/runs/run-1/transcripts/execute"');
    const page = await client.get('/runs/run-1/transcripts/execute');
    expect(page.text).toContain('the iteration');
    expect(page.text).toContain('?lane=subagent-ab12cd34');
    expect((await client.get('/runs/run-1/transcripts/execute?lane=subagent-ab12cd34')).text).toContain(
      'count the files',
    );
  });

  test('that cannot be read does not hide the others', async () => {
    const broken = await desk.waiting('run-1');
    await desk.waiting('run-2');
    await writeFile(join(broken.dir, 'events/000002.json'), '{}');
    const client = await signedIn(desk.review());
    const { text } = await client.get('/');
    expect(text).toContain('Run run-1 cannot be read.');
    expect(text).toContain('href="/runs/run-2/gates/HITL-1.r1"');
    expect((await client.get('/runs')).text).toContain('unreadable');
  });
});

test('a sub-agent’s conversation is a page of its own, and its agent’s leads there (S3.5)', async () => {
  const run = await desk.waiting('run-1', [{}, {}]);
  const lane = 'subagent-0a0b0c0d';
  const entry = (id: string, more: object) => ({
    ...{ version: 1, id, parents: [], step: 'design.r9', type: 'message', origin: 'harness', ...more },
    message: { role: 'user', content: [{ type: 'text', text: `said in ${id}` }] },
  });
  const lines = [
    entry('e901', { lane: 'main' }),
    entry('e902', { lane }),
    entry('e903', { lane: 'main', item: 'recap' }),
  ];
  await mkdir(join(run.dir, 'transcripts'), { recursive: true });
  await appendFile(join(run.dir, 'transcripts/init.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const client = await signedIn(desk.review());
  const own = (await client.get('/runs/run-1/transcripts/init')).text;
  expect(own).toContain('said in e901');
  expect(own).not.toContain('said in e902');
  expect(own).toMatch(/recap\s+e903/);
  expect(own).toContain(`href="/runs/run-1/transcripts/init?lane=${lane}"`);
  const child = (await client.get(`/runs/run-1/transcripts/init?lane=${lane}`)).text;
  expect(child).toContain('said in e902');
  expect(child).not.toContain('said in e901');
  expect((await client.get('/runs/run-1/transcripts/init?lane=other')).status).toBe(404);
});

test('the page of a transcript says of each entry what the record of the calls says, and nothing that only the entry has (S4.6)', async () => {
  const run = await desk.waiting('run-1', [{}, {}]);
  const usage = { input_tokens: 9, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const base = { version: 1 as const, parents: [], step: 'design.r9' };
  const said = (id: string, lane: string) => ({
    ...{ ...base, id, lane, type: 'message' as const, origin: 'model' as const },
    message: { role: 'assistant' as const, content: [{ type: 'text' as const, text: `said in ${id}` }] },
    response: { model: 'm', stopReason: 'end_turn' as const, usage, view: 'e0' },
  });
  await run.transcripts.publish('init', [said('e901', 'main'), said('e902', 'subagent-1')]);
  const call = (entry: string, lane: string, more: object) => ({
    ...{ version: 1 as const, id: `design.r9.${lane}.${entry}`, agent: 'init', lane, step: 'design.r9' },
    ...{ at: '2026-11-23T01:00:00.000Z', purpose: 'answer' as const, model: 'm', decisions: [], rewrites: [] },
    ...{ outcome: 'answered' as const, entry, usage: { ...usage, output_tokens: 4321 }, ms: 2500, ...more },
  });
  const refused = { outcome: 'failed' as const, error: { code: 'model_unavailable', message: 'gone <b>' } };
  await run.transcripts.record('init', [
    call('e901', 'main', {}),
    call('e902', 'subagent-1', { ms: 7700 }),
    call('', 'main', { ...refused, entry: undefined, usage: undefined }),
  ]);
  const client = await signedIn(desk.review());
  const page = (await client.get('/runs/run-1/transcripts/init')).text;
  expect(page).toMatch(/e901 · 4\.3k tokens out · 2\.5 s/);
  expect(page).toContain('Calls without an answer');
  expect(page).toMatch(/design\.r9\.main\. failed[^<]*model_unavailable: gone &lt;b/);
  const child = (await client.get('/runs/run-1/transcripts/init?lane=subagent-1')).text;
  expect(child).toMatch(/e902 · 4\.3k tokens out · 7\.7 s/);
  expect(child).not.toContain('Calls without an answer');
});

test('the next gate follows the one that was read, and after the last one comes the first', async () => {
  await desk.waiting('run-1');
  await desk.waiting('run-2');
  const client = await signedIn(desk.review());
  const next = async (after: string) => (await client.get(`/next?after=${after}`)).headers.get('location');
  expect(await next('run-1.HITL-1.r1')).toBe('/runs/run-2/gates/HITL-1.r1');
  expect(await next('run-2.HITL-1.r1')).toBe('/runs/run-1/gates/HITL-1.r1');
  expect(await next('nothing')).toBe('/runs/run-1/gates/HITL-1.r1');
});

describe('weight', () => {
  test('the decision screen of 200 rules with its style and module is under 150 KB', async () => {
    const text =
      'Refunds for damaged or wrong goods are paid to the customer, also when a gift card paid for the order. '.repeat(
        2,
      );
    const rules = Array.from({ length: 200 }, (_, index) => ({
      id: `R${index + 1}`,
      title: `Rule number ${index + 1}`,
      text: `${text}${index}`,
    }));
    await desk.waiting('run-1', [{ rules }]);
    const page = (await (await signedIn(desk.review())).get('/runs/run-1/gates/HITL-1.r1')).text;
    const all = page.length + ASSETS.style.body.length + ASSETS.script.body.length;
    expect(all).toBeLessThan(150_000);
    expect(gzipSync(page).length).toBeLessThan(20_000);
  });

  test('two hundred changed rules are a page of fifty, which says what it leaves out and where that is', async () => {
    const rules = (word: string) =>
      Array.from({ length: 200 }, (_, index) => ({
        id: `R${index + 1}`,
        title: `Rule number ${index + 1}`,
        text: `Refunds are paid ${word} to the customer, also when a gift card paid for the order. `.repeat(2),
      }));
    await desk.waiting('run-1', [{ rules: rules('always'), samples: 500 }, { rules: rules('at once') }]);
    const client = await signedIn(desk.review());
    const path = '/runs/run-1/gates/HITL-1.r2';
    const { text } = await client.get(path);
    expect(text.length + ASSETS.style.body.length + ASSETS.script.body.length).toBeLessThan(150_000);
    expect([text.includes('id="R50"'), text.includes('id="R51"')]).toEqual([true, false]);
    expect(text).toContain('data-left="150"');
    expect(text).toMatch(/150 more changed rules are not on this page yet\.\s+<a\s+href="[^"]*\?rows=all"/);
    const whole = (await client.get(`${path}?rows=all`)).text;
    expect(whole).toContain('id="R200"');
    expect(whole).toContain('data-left="0"');
  });

  test('pages travel packed for who can unpack them, and keep their policy', async () => {
    await desk.waiting('run-1');
    const page = await (
      await signedIn(desk.review())
    ).get('/runs/run-1/gates/HITL-1.r1', { 'accept-encoding': 'gzip' });
    expect(page.headers.get('content-encoding')).toBe('gzip');
    expect(page.headers.get('vary')).toContain('Accept-Encoding');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'nonce-");
  });

  test('a design of 5 000 lines against another is shown rule by rule, and says that its lines are too many', async () => {
    const story = (word: string) =>
      Array.from({ length: 5000 }, (_, index) => `${word} line ${index} of the story`).join('\n');
    const cpu = threadCpu();
    await desk.waiting('run-1', [
      { narrative: story('old') },
      { narrative: story('new'), rules: [{ id: 'R1', title: 'Identity', text: 'Another text.' }] },
    ]);
    const client = await signedIn(desk.review());
    const { text } = await client.get('/runs/run-1/gates/HITL-1.r2');
    expect(cpu()).toBeLessThan(5000);
    expect(text).toContain('sign changed');
    expect(text).toContain('sign removed');
    const design = await client.get('/runs/run-1/gates/HITL-1.r2/design');
    expect(design.text).toMatch(/too large to show line by line|more lines are not shown/);
  });
});
