/** The list of runs and the comparison of some of them, as a browser gets them. */
import { beforeEach, describe, expect, test } from 'vitest';
import { failing, sample, trial } from '../report/makers.ts';
import { signedIn, type Client } from './client.ts';
import { useDesk } from './use-desk.ts';
import { evaluated } from './evaluated.ts';

const desk = useDesk();
let client: Client;
beforeEach(async () => {
  client = await signedIn(desk.review());
});

const shownRuns = (text: string) =>
  [...text.matchAll(/<tr data-row[\s\S]*?href="\/runs\/([^"]+)"/g)].map(([, key]) => key);

test('the list is searched, sorted and filtered by its address', async () => {
  for (const id of ['run-1', 'run-2', 'other']) await evaluated(desk, id, [[sample('asked')]]);
  await desk.waiting('empty');
  expect(shownRuns((await client.get('/runs')).text)).toEqual(['empty', 'other', 'run-2', 'run-1']);
  const { text } = await client.get('/runs?find=RUN-&sort=oldest&status=awaiting_approval');
  expect(shownRuns(text)).toEqual(['run-1', 'run-2']);
  expect(text).toContain('<h1>2 of 4 runs</h1>');
  expect(text).toMatch(/<option value="oldest" selected>/);
  expect((await client.get('/runs?find=%22%3E%3Cb%3E')).text).not.toContain('"><b>');
});

test('by cost comes first what has cost most, also of runs that still move', async () => {
  const price = { input: 1e6, output: 0, cacheWrite: 0, cacheRead: 0 };
  const usage = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
  for (const [id, tokens] of [
    ['dear', 3],
    ['dearest', 4],
    ['cheap', 2],
  ] as const) {
    const { spending } = await evaluated(desk, id, [[sample('asked')]]);
    await spending.reserve({ call: 'c1', agent: 'init', model: 'm', worstUsd: 9 }, 100);
    await spending.settle('c1', { ...usage, input_tokens: tokens }, { price });
  }
  const { text } = await client.get('/runs?sort=cost');
  expect(shownRuns(text)).toEqual(['dearest', 'dear', 'cheap']);
  expect(text).toContain('$4.00');
});

describe('a comparison', () => {
  const trials = (passed: number) =>
    Array.from({ length: 10 }, (_, index) =>
      trial({ trial: index + 1, outcome: index < passed ? 'pass' : 'fail', trace: `traces/asked.${index + 1}.jsonl` }),
    );
  const asked = (passed: number) =>
    passed === 10 ? sample('asked', { trials: trials(10) }) : failing('asked', 4, {}, { trials: trials(passed) });

  test('says of each run what tandem compare says against the baseline, which is marked and can be another', async () => {
    await evaluated(desk, 'good', [[asked(10), sample('steady')]]);
    await evaluated(desk, 'bad', [[asked(10)], [asked(1), sample('steady')]]);
    const { text } = await client.get('/compare?run=good&run=bad');
    expect(text).toContain('Against the baseline good, iteration 1');
    expect(text).toMatch(/bad, iteration 2[\s\S]*regression: [\s\S]*chance alone hardly explains what got worse/);
    expect(text).toMatch(/A case called asked[\s\S]*1 of 10[\s\S]*regression, p 0\.000[\s\S]*A case called steady/);
    expect(text).toContain('href="/compare?run=good&amp;run=bad&amp;base=bad"');
    const turned = (await client.get('/compare?run=good&run=bad&base=bad')).text;
    expect(turned).toMatch(/points higher [\s\S]*chance alone hardly explains that/);
    expect((await client.get('/compare?run=bad@1&run=bad')).text).toContain('iteration 1 and iteration 2');
  });

  test('has the numbers of checkers and graders beside those of the baseline, with the interval of the difference', async () => {
    const scored = (score: number, ...ids: string[]) =>
      ids.map((id) =>
        sample(id, {
          trials: [
            trial({
              trace: `traces/${id}.1.jsonl`,
              verdicts: [{ checker: 'tone', pass: true, reason: 'r', evidence: [], score }],
            }),
          ],
        }),
      );
    await evaluated(desk, 'good', [scored(0.5, 'a', 'b', 'c')]);
    await evaluated(desk, 'bad', [scored(0.5, 'a', 'b', 'c'), scored(0.25, 'a', 'b', 'c')]);
    const plain = async (path: string) => {
      const { text } = await client.get(path);
      return (/id="metrics"[\s\S]*?<\/section>/.exec(text)?.[0] ?? '')
        .replaceAll(/<[^>]+>|\s+/g, ' ')
        .replaceAll(/ +/g, ' ');
    };
    expect(await plain('/compare?run=good&run=bad')).toContain(
      'tone score bad, iteration 2 0.5 0.25 -0.25 -0.25 to -0.25 lower',
    );
    expect(await plain('/runs/bad/results')).toContain('tone score 0.25 0.25 to 0.25 0.5 0.25 to 0.25 3 3');
    expect(await plain('/compare?run=good&run=bad@1')).toContain('same');
  });

  test.each([
    '/compare',
    '/compare?run=good',
    '/compare?run=good&run=none',
    '/compare?run=good&run=good@7',
    '/compare?run=good&run=new',
  ])('%s is refused in words', async (path) => {
    await evaluated(desk, 'good', [[asked(10)]]);
    await desk.waiting('new');
    const page = await client.get(path);
    expect(page.status).toBe(404);
    expect(page.text).toMatch(/Name two to 4 runs|There is no such run here|has no results/);
  });
});
