import { createServer } from 'node:http';
import { readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { blessCommand } from '../../../src/cli/evaluate/compare.ts';
import { lampsProject, resultsIn } from './lamps-project.ts';

/** An endpoint that is right about the locked lamp and, until it is repaired, refuses whoever asks about the dark hall. */
async function brokenEndpoint(status: number) {
  const asked: string[] = [];
  let isBroken = true;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += String(part)));
    request.on('end', () => {
      const about = body.includes('It is dark here.') ? 'turn-on' : 'locked-lamp';
      asked.push(about);
      if (isBroken && about === 'turn-on') response.writeHead(status).end('no');
      else response.end('{"say":"The hall lamp is on, and it is locked.","done":true}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const subject = { kind: 'http', url: `http://127.0.0.1:${port}/turn` };
  return { asked, subject, repair: () => (isBroken = false) };
}

test.each([401, 503])(
  'an endpoint that answers %d to some samples is no met target, no baseline, and its samples are played alone',
  async (status) => {
    const { asked, subject, repair } = await brokenEndpoint(status);
    const { io, dir, evaluate } = await lampsProject({ brief: { subject, target: 0.5 } });
    const first = join(dir, 'evaluations/1');
    expect(await evaluate({ json: true })).toBe(6);
    expect(io.json()).toMatchObject({ passed: 1, total: 1, unscored: 1, met: false, verdict: 'incomplete' });
    expect(await readFile(join(first, 'report.md'), 'utf8')).toContain('**incomplete**: 1 trial without a verdict');
    await expect(blessCommand(first, {}, io)).rejects.toMatchObject({ code: 'usage' });
    expect(await evaluate()).toBe(6);
    expect(io.lines).toContain('Target 50 % (rate): incomplete');
    expect(io.lines.join('\n')).toContain('1 trial without a verdict: the same command plays only what is missing.');

    repair();
    const before = asked.filter((about) => about === 'locked-lamp').length;
    expect(await evaluate()).toBe(0);
    expect(io.errors).toContain(`Goes on in ${first}`);
    expect(asked.filter((about) => about === 'locked-lamp')).toHaveLength(before);
    expect(await resultsIn(first)).toMatchObject({ total: 2, unscored: 0 });
    await evaluate();
    expect(io.errors).toContain(`Evaluates in ${join(dir, 'evaluations/2')}`);
  },
);

test('the folder that --out names goes on after an outage', async () => {
  const { subject, repair } = await brokenEndpoint(503);
  const { io, evaluate } = await lampsProject({ brief: { subject, target: 0.5 } });
  expect(await evaluate({ out: 'mine' })).toBe(6);
  repair();
  expect(await evaluate({ out: 'mine' })).toBe(0);
  expect(io.errors).toContain(`Goes on in ${join(io.cwd, 'mine')}`);
  await expect(evaluate({ out: 'mine' })).rejects.toMatchObject({ code: 'usage' });
});

test('one evaluation plays one subject, and several are compared by their folders', async () => {
  const { io, evaluate } = await lampsProject({ brief: { target: 0.5 } });
  await writeFile(join(io.cwd, 'other.yaml'), JSON.stringify({ kind: 'command', command: ['node', 'idle.mjs'] }));
  const both = evaluate({ subject: ['gold', 'other.yaml'] });
  await expect(both).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('tandem compare one') });
});
