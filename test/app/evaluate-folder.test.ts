import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { evaluateFolder, type FolderToEvaluate } from '../../src/app/evaluate-folder.ts';
import { Results } from '../../src/scenario/result.ts';
import { lampsBrief, lampsDesign, lampsFolder } from '../evaluation/lamps.ts';
import { call, say } from '../support/responses.ts';
import { scriptedModel } from '../support/scripted-model.ts';

const { rules, format } = lampsDesign();

async function evaluateLamps(more: Partial<FolderToEvaluate> & { files?: Record<string, unknown> } = {}) {
  const { files = {}, ...given } = more;
  const dir = await lampsFolder(files);
  const lanes: string[] = [];
  const modelFor = (lane: string) => {
    lanes.push(lane);
    return scriptedModel(
      lane.includes('turn-on')
        ? [call('switch_lamp', { id: 'hall', on: true }), say('The hall lamp is on.')]
        : [say('It is locked.')],
    );
  };
  const evaluating = evaluateFolder({ dir, brief: lampsBrief(), rules, format, modelFor, concurrency: 2, ...given });
  return { dir, lanes, evaluating };
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

  test('that proved themselves before are not proven again, but still must load', async () => {
    const { evaluating } = await evaluateLamps({ verify: false });
    const { results } = await evaluating;
    expect(results).toMatchObject({ passed: 2, verification: { proofs: [] } });
    const broken = await evaluateLamps({ verify: false, files: { 'samples/turn-on.json': '{' } });
    expect(await broken.evaluating).toMatchObject({ problems: [{ code: 'schema' }] });
    expect(broken.lanes).toEqual([]);
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
