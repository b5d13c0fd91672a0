/** A refusal as a page: a heading, what is the matter, and a way on that does not end at the next refusal. */
import { expect, test } from 'vitest';
import { createLinks } from '../../../src/app/notices/subjects.ts';
import { Reviewers } from '../../../src/config/reviewers.ts';
import { signedIn, stranger } from '../client.ts';
import { useDesk } from '../use-desk.ts';

const desk = useDesk();

test.each(['/nowhere', '/runs/gone', '/compare?run=gone'])(
  '%s has a heading and leads to what there is',
  async (path) => {
    const page = await (await signedIn(desk.review())).get(path);
    expect(page.status).toBe(404);
    expect(page.text).toContain('<h1>Not here</h1>');
    expect(page.text).toContain('<a href="/">What waits for a decision</a>');
    expect(page.text).toContain('<a href="/runs">All runs</a>');
  },
);

test('whoever came by a personal link is led back to its gate, and nowhere else', async () => {
  const run = await desk.waiting('run-1');
  const { digest = '' } = (await desk.state(run)).designs[0] ?? {};
  const reviewers = { reviewers: [{ name: 'ada', email: 'ada@example.org' }] };
  const links = createLinks({
    base: 'https://desk.test:7420',
    reviewers: Reviewers.parse({ version: 1, ...reviewers }),
    secret: 'a secret of the test',
    clock: desk.clock,
  });
  const facts = { run: 'run-1', scenario: 'refund-desk', gate: 'HITL-1.r1', digest, title: '', text: '', at: '' };
  const [mail] = links({ id: 'x', kind: 'opened', waits: true, ...facts }).recipients;
  const client = stranger(desk.review({ reviewers }));
  await client.get(new URL(mail?.url ?? '').pathname + new URL(mail?.url ?? '').search);
  const page = await client.get('/runs');
  expect(page.status).toBe(403);
  const [, main = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(page.text) ?? [];
  const ways = [...main.matchAll(/href="([^"]*)"/g)].map(([, to]) => to);
  expect(ways).toEqual(['/runs/run-1/gates/HITL-1.r1']);
  expect((await client.get('/runs/run-1/gates/HITL-1.r1')).status).toBe(200);
});
