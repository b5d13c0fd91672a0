import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JUDGING_VERSIONS } from '../../../src/evaluation/judging-versions.ts';
import type { TrialMemory } from '../../../src/evaluation/trial/recall-trial.ts';
import { userNotes } from '../../../src/scenario/user-notes.ts';
import { evaluateLamps, goodModel } from '../evaluate-lamps.ts';
import { lampsBrief, lampsFolder, turnOn } from '../lamps.ts';

function memory(): TrialMemory & { kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    recall: async (name) => {
      const text = kept.get(name);
      return text === undefined ? undefined : (JSON.parse(text) as unknown);
    },
    remember: async (name, value) => void kept.set(name, JSON.stringify(value)),
  };
}

function counting() {
  const lanes: string[] = [];
  const modelFor = (lane: string) => {
    lanes.push(lane);
    return goodModel(lane);
  };
  return { lanes, modelFor };
}
const brief = lampsBrief({ trials: 10 });
let clock = 0;
/** Another time at each look: what is told twice must have been remembered. */
const now = () => (clock += 7);

test('an evaluation that was stopped runs only what was not finished, and reports what an undisturbed one reports', async () => {
  const dir = await lampsFolder();
  const shared = memory();
  const stop = new AbortController();
  const before = counting();
  const onSample = ({ done }: { done: number }) => {
    if (done === 7) stop.abort(new Error('killed'));
  };
  const first = evaluateLamps({
    dir,
    brief,
    memory: shared,
    modelFor: before.modelFor,
    onSample,
    signal: stop.signal,
    now,
  });
  await expect(first).rejects.toThrow('killed');

  const after = counting();
  const resumed = await evaluateLamps({
    dir: await lampsFolder(),
    brief,
    memory: shared,
    modelFor: after.modelFor,
    now,
  });
  const twice = before.lanes.filter((lane) => after.lanes.includes(lane));
  // Two that were played, and two on their way to a verdict.
  expect(twice.length).toBeLessThanOrEqual(4);
  expect(new Set([...before.lanes, ...after.lanes]).size).toBe(20);
  expect(after.lanes.length).toBeLessThanOrEqual(20 - 7 + 1);

  const undisturbed = await evaluateLamps({ brief, now: () => 0 });
  const timeless = (text: string) => text.replaceAll(/"(durationMs|ms)":\s*\d+/g, '"$1":0');
  const textOf = async (folder: string, path: string) => timeless(await readFile(join(folder, path), 'utf8'));
  expect(await textOf(resumed.dir, 'results.json')).toBe(await textOf(undisturbed.dir, 'results.json'));
  for (const trial of Array.from({ length: 10 }, (_, index) => index + 1)) {
    const path = `traces/turn-on.${trial}.jsonl`;
    expect(await textOf(resumed.dir, path)).toBe(await textOf(undisturbed.dir, path));
  }
});

test('what was finished reads the same to the letter when it is found again, its times too', async () => {
  const shared = memory();
  const first = await evaluateLamps({ memory: shared, now });
  const again = await evaluateLamps({ memory: shared, now, modelFor: () => expect.unreachable() });
  expect(again.results).toEqual(first.results);
  for (const name of ['turn-on.1', 'locked-lamp.1']) {
    const [one, other] = [await first.linesOf(name), await again.linesOf(name)];
    expect(other).toEqual(one);
  }
});

test('a trial that another version has finished keeps its verdict, and its results name that version', async () => {
  const shared = memory();
  const first = await evaluateLamps({ memory: shared, now });
  const stored = (name: string) => JSON.parse(shared.kept.get(name) ?? '{}') as { judging?: object };
  const [other, older] = ['trials/turn-on.1', 'trials/locked-lamp.1'];
  const judging = { user: 'chooser-4', statements: 'statements-1' };
  shared.kept.set(other, JSON.stringify({ ...stored(other), judging }));
  const { judging: _judging, ...unrecorded } = stored(older);
  shared.kept.set(older, JSON.stringify(unrecorded));
  const again = (more: Parameters<typeof evaluateLamps>[0]) =>
    evaluateLamps({ memory: shared, now, modelFor: () => expect.unreachable(), ...more });
  const versions = ({ results }: Awaited<ReturnType<typeof again>>) =>
    Object.fromEntries(results.samples.map(({ id, trials }) => [id, trials[0]?.judgedBy]));
  const today = await again({ begunWith: JUDGING_VERSIONS });
  expect(today.results).toMatchObject({ passed: first.results.passed, statements: JUDGING_VERSIONS.statements });
  expect(versions(today)).toEqual({ 'turn-on': judging, 'locked-lamp': undefined });
  expect(versions(await again({ begunWith: { user: 'chooser-3', statements: 'statements-1' } }))).toMatchObject({
    'locked-lamp': { user: 'chooser-3' },
  });
  const unknown = await again({});
  expect(versions(unknown)).toMatchObject({ 'locked-lamp': { user: 'an earlier user' } });
  const by = (user: string, statements: string) => `(${user}, ${statements})`;
  expect(userNotes(unknown.results)).toContain(
    'played and judged before an upgrade, by other versions than the other trials: ' +
      `locked-lamp.1 ${by('an earlier user', 'an earlier reader')}, turn-on.1 ${by('chooser-4', 'statements-1')}`,
  );
});

test.each<[string, Parameters<typeof evaluateLamps>[0]]>([
  ['a component', { componentsDigest: 'other' }],
  ['the sample', { files: { 'samples/turn-on.json': { ...turnOn, title: 'Another' } } }],
  ['a limit', { brief: lampsBrief({ max_steps: 5 }) }],
  ['the settings of the subject', { maxTokens: 77 }],
])('a trial is run again when %s has changed', async (_title, change) => {
  const shared = memory();
  await evaluateLamps({ memory: shared });
  const { lanes, modelFor } = counting();
  await evaluateLamps({ memory: shared, modelFor, ...change });
  expect(lanes).toContain('subject/turn-on.1');
});

test('a memory that cannot be understood is no memory', async () => {
  const shared = memory();
  await evaluateLamps({ memory: shared });
  for (const name of shared.kept.keys()) shared.kept.set(name, '{"version":2}');
  const { lanes, modelFor } = counting();
  const { results } = await evaluateLamps({ memory: shared, modelFor });
  expect(lanes).toHaveLength(2);
  expect(results.successRate).toBe(1);
});
