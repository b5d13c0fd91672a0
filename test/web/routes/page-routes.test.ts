/** The sources of a run, by the names that people gave them, and nothing else of the run by such an address. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sourceHref } from '../../../src/web/pages/gate/rule-context.ts';
import { signedIn } from '../client.ts';
import { useDesk } from '../use-desk.ts';

const desk = useDesk();

test.each(['policies/Rückgabe & Gutscheine.md', '政策/退款.md', 'policies/what (if)? 100%.md', '.policies/returns.md'])(
  'the link to %s leads to it',
  async (path) => {
    const run = await desk.waiting('run-1');
    await run.write(`scenario/${path}`, 'Goods may be returned.\n');
    const page = await (await signedIn(desk.review())).get(sourceHref('run-1', path));
    expect(page.status).toBe(200);
    expect(page.text).toContain('<li id="L1">Goods may be returned.</li>');
  },
);

test.each(['../events/000000.json', 'policies/../../events/000000.json', '/etc/hostname', 'link.md', 'policies'])(
  '%s is no source',
  async (path) => {
    const run = await desk.waiting('run-1');
    await run.write('scenario/policies/returns.md', 'Goods may be returned.\n');
    await symlink('/etc/hostname', join(run.dir, 'scenario/link.md'));
    const client = await signedIn(desk.review());
    for (const one of [encodeURIComponent(path), path.split('/').map(encodeURIComponent).join('/')])
      expect((await client.get(`/runs/run-1/sources/${one}`)).status).toBe(404);
  },
);

test('a file of one very long line, or of very many lines, is shown as far as somebody may read it', async () => {
  const run = await desk.waiting('run-1');
  await run.write('scenario/long.md', `${'x'.repeat(3_000_000)}\nnext\n`);
  await run.write('scenario/many.md', 'line\n'.repeat(5001));
  const client = await signedIn(desk.review());
  const long = (await client.get('/runs/run-1/sources/long.md')).text;
  expect(long.length).toBeLessThan(1_010_000);
  expect(long).toContain('(3000000 characters)');
  expect(long).toContain('Not shown: 1 more line, in scenario/long.md of the run folder.');
  const many = (await client.get('/runs/run-1/sources/many.md')).text;
  expect(many).toContain('<li id="L5000">line</li>');
  expect(many).toContain('Not shown: 1 more line, in scenario/many.md');
});
