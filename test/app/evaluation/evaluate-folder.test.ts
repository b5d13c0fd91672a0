import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { evaluateFolder, proveFolder, type FolderToEvaluate } from '../../../src/app/evaluation/evaluate-folder.ts';
import { Results } from '../../../src/scenario/result.ts';
import { lampsBrief, lampsDesign, lampsFolder, turnOn } from '../../evaluation/lamps.ts';
import { call, say } from '../../support/responses.ts';
import { scriptedModel } from '../../support/scripted-model.ts';

const { rules, format } = lampsDesign();

async function evaluateLamps(more: Partial<FolderToEvaluate> & { files?: Record<string, unknown> } = {}) {
  const { files = {}, ...given } = more;
  const dir = given.dir ?? (await lampsFolder(files));
  const lanes: string[] = [];
  const modelFor = (lane: string) => {
    lanes.push(lane);
    return scriptedModel(
      lane.includes('turn-on')
        ? [call('switch_lamp', { id: 'hall', on: true }), say('The hall lamp is on.')]
        : [say('It is locked.')],
    );
  };
  const evaluating = evaluateFolder({ brief: lampsBrief(), rules, format, modelFor, concurrency: 2, ...given, dir });
  return { dir, lanes, evaluating };
}

let proven: ReturnType<typeof proveFolder> | undefined;
/** The proof of the lamps as they are, made once. */
async function provenLamps(): ReturnType<typeof proveFolder> {
  proven ??= proveFolder({ dir: await lampsFolder(), brief: lampsBrief(), rules, format });
  return proven;
}

describe('the components of a folder, evaluated from a program', () => {
  test('are proven and played, and the results are on disk and in hand the same', async () => {
    const { dir, evaluating } = await evaluateLamps();
    const { results, problems } = await evaluating;
    expect(results).toMatchObject({ passed: 2, total: 2, simulated: false });
    expect(results?.verification.proofs).toHaveLength(2);
    expect(problems).toEqual([]);
    expect(Results.parse(JSON.parse(await readFile(join(dir, 'results.json'), 'utf8')))).toEqual(results);
  });

  test('that do not prove themselves are not played: the problems say why, with the layer that owns them', async () => {
    const files = { 'checkers/as-asked.mjs': 'export const checker = 1;' };
    const { lanes, evaluating } = await evaluateLamps({ files });
    const { results, problems } = await evaluating;
    expect(results).toBeUndefined();
    expect(problems).toContainEqual(expect.objectContaining({ layer: 3, component: 'as-asked' }));
    expect(lanes).toEqual([]);
  });

  test('that proved themselves before are not proven again, nor asked what they are', async () => {
    const { dir, evaluating } = await evaluateLamps();
    const { proof } = await evaluating;
    const stored: unknown = JSON.parse(JSON.stringify(proof));
    const again = await evaluateLamps({ dir, proof: stored });
    const second = await again.evaluating;
    expect(second).toMatchObject({ results: { passed: 2 }, proof });
    expect(second.results?.verification).toEqual(proof?.verification);
  });

  test.each([
    ['a checker', { files: { 'checkers/as-asked.mjs': 'export const checker = 1;' } }],
    ['a sample', { files: { 'samples/turn-on.json': { ...turnOn, gold: [] } } }],
    ['a rule', { rules: { ...rules, rules: rules.rules.slice(1) } }],
    ['how many samples are wanted', { brief: { ...lampsBrief(), samples: { min: 9, categories: ['lamps'] } } }],
  ])('a proof is worth nothing once %s is another: they are proven anew', async (_, changed) => {
    const { proof } = await provenLamps();
    expect(proof).toBeDefined();
    const { evaluating, lanes } = await evaluateLamps({ proof, ...changed });
    expect(await evaluating).not.toHaveProperty('results');
    expect(lanes).toEqual([]);
  });

  test('are proven without any subject, and a proof that is none is refused', async () => {
    const dir = await lampsFolder({ 'samples/turn-on.json': '{' });
    const proven = await proveFolder({ dir, brief: lampsBrief(), rules, format });
    expect(proven).not.toHaveProperty('proof');
    expect(proven.problems).toContainEqual(expect.objectContaining({ layer: 4, code: 'schema', sample: 'turn-on' }));
    const { evaluating } = await evaluateLamps({ proof: { version: 2 } });
    await expect(evaluating).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/^proof: .*version/),
    });
  });

  test('have one digest as long as no component changes, whatever the subject does', async () => {
    const [one, same, other] = await Promise.all([
      evaluateLamps(),
      evaluateLamps({ modelFor: () => scriptedModel([say('Hm.')]) }),
      evaluateLamps({ files: { 'samples/worlds/attic.json': {} } }),
    ]);
    const digests = (await Promise.all([one.evaluating, same.evaluating, other.evaluating])).map(
      ({ results }) => results?.componentsDigest,
    );
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(digests[1]).toBe(digests[0]);
    expect(digests[2]).not.toBe(digests[0]);
  });

  test('a design that does not fit is refused by the name of the part and the place in it', async () => {
    const { evaluating, lanes } = await evaluateLamps({ format: { ...format, tools: [{ name: 'switch_lamp' }] } });
    await expect(evaluating).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/^format: .*\/tools\/0\/purpose/),
    });
    expect(lanes).toEqual([]);
  });
});
