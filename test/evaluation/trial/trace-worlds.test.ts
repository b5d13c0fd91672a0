import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadComponents } from '../../../src/evaluation/components/load-components.ts';
import { rejudgeOwn } from '../../../src/evaluation/rejudge/rejudge.ts';
import { openConfined } from '../../../src/app/open-sandbox.ts';
import { MAX_WORLD_BYTES } from '../../../src/scenario/world-limits.ts';
import { evaluateLamps } from '../evaluate-lamps.ts';
import { lampsFolder, trustedSandbox } from '../lamps.ts';

const { signal } = new AbortController();
const lamp = (n: number) => [`lamp-${n}`, { on: n % 2 === 0, locked: false }] as const;
const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => lamp(n)));
const house = { lamps: { hall: { on: true }, cellar: { on: true, locked: true }, ...many } };
const files = { 'samples/worlds/house.json': house };
const sha256 = createHash('sha256').update(JSON.stringify(house)).digest('hex');

test('a trace names its large world and says what is other in it; it is judged again by the components beside it', async () => {
  const { dir, results, linesOf } = await evaluateLamps({ files, sandbox: await openConfined({}) });
  expect(results).toMatchObject({ passed: 2, unscored: 0 });
  const lines = await linesOf('turn-on.1');
  // A pin: this is what stands on the disk.
  const patch = [{ op: 'replace', path: '/lamps/hall/on', value: false }];
  const change = [{ op: 'replace', path: '/lamps/hall/on', value: true }];
  expect(lines[0]).toEqual({
    ...{ type: 'start', version: 1, sample: 'turn-on', trial: 1, model: 'test-model' },
    inputs: expect.stringMatching(/^[0-9a-f]{64}$/),
    base: { name: 'house', sha256, patch },
  });
  expect(lines.at(-1)).toMatchObject({ type: 'end', stop: 'done', change, calls: 1 });
  expect(lines.at(-1)).not.toHaveProperty('world');
  expect(lines.find(({ type }) => type === 'call')).toMatchObject({ change });

  const text = await readFile(join(dir, 'traces/turn-on.1.jsonl'), 'utf8');
  expect(text.length).toBeLessThan(2000);
  const judge = async (by: string) => {
    const { components } = await loadComponents(by, trustedSandbox(), signal);
    const traces = [{ at: 'a', text, name: 'turn-on.1', recorded: 'pass' as const }];
    return rejudgeOwn(traces, { components, session: await trustedSandbox().open(by) }, signal);
  };
  expect(await judge(dir)).toMatchObject({ refused: [], rows: [{ outcome: 'pass', agrees: true }] });

  const other = { lamps: { ...house.lamps, hall: { on: true, locked: true } } };
  const refused = { at: 'a', code: 'other-design', message: expect.stringContaining('samples/worlds/house.json') };
  expect(await judge(await lampsFolder({ 'samples/worlds/house.json': other }))).toMatchObject({
    rows: [],
    refused: [{ ...refused, message: expect.stringContaining('is another one here') }],
  });
});

test('a trace of a small world holds it once, and its end the changes alone: agents read traces', async () => {
  const { linesOf } = await evaluateLamps();
  const lines = await linesOf('locked-lamp.1');
  const world = { lamps: { hall: { on: true }, cellar: { on: true, locked: true } } };
  expect(lines[0]).toMatchObject({ world });
  expect(lines.at(-1)).toMatchObject({ type: 'end', change: [] });
  expect(lines.at(-1)).not.toHaveProperty('world');
  expect(lines[0]).not.toHaveProperty('base');
});

test('a world file may be far larger than any other, and one beyond its own limit is named with both sizes', async () => {
  const load = async (bytes: number) =>
    loadComponents(
      await lampsFolder({ 'samples/worlds/house.json': { ...house, text: 'x'.repeat(bytes) } }),
      trustedSandbox(),
      signal,
    );
  const fine = await load(3 * 1024 * 1024);
  expect(fine.problems).toEqual([]);
  expect(fine.components.samples[0]?.base?.name).toBe('house');
  const { problems } = await load(MAX_WORLD_BYTES);
  expect(problems[0]).toMatchObject({
    layer: 4,
    code: 'file-refused',
    message: expect.stringMatching(
      /^samples\/worlds\/house\.json: it is larger than 16777216 bytes \(16\d{6}\): cut it down/,
    ),
  });
});
