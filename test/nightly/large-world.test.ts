/**
 * A scenario with a world of five megabytes: proven, played, killed and gone on with, judged again.
 * Its small sibling in CI: test/slow/subjects-cli.test.ts.
 */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Results } from '../../src/scenario/result.ts';
import { lastJson, makeProject, start, tandem } from '../support/cli.ts';
import { largeDomain, type LargeDomain } from '../support/large-domain.ts';

const SCENARIO = 'scenarios/library';
const AT = `${SCENARIO}/simulation/files/i1`;
const MB = 1024 ** 2;
let project: string;
let domain: LargeDomain;

const read = (path: string): Promise<string> => readFile(join(project, path), 'utf8');
const resultsOf = async (path: string): Promise<Results> =>
  Results.parse(JSON.parse(await read(`${path}/results.json`)));

beforeAll(async () => {
  project = await makeProject();
  domain = await largeDomain(join(project, SCENARIO));
});
afterAll(() => rm(project, { recursive: true, force: true }));

describe('a domain with a world of five megabytes', () => {
  test('no sample carries the world', async () => {
    expect(domain.bytes).toBeGreaterThan(4.5 * MB);
    const names = (await readdir(join(project, AT, 'samples'))).filter((name) => name.endsWith('.json'));
    expect(names).toHaveLength(domain.tasks);
    for (const name of names) expect((await stat(join(project, AT, 'samples', name))).size).toBeLessThan(4000);
  });

  test('is proven and played on every gold path; its traces name the world and stay small', async () => {
    const played = await tandem(project, ['evaluate', 'library', '--subject', 'gold', '--json']);
    expect(played.code, played.stderr).toBe(0);
    expect(lastJson(played)).toMatchObject({
      ...{ played: true, passed: domain.tasks, total: domain.tasks, unscored: 0, met: true },
      ...{ simulated: false, costUsd: 0, leftOut: [] },
    });
    const traces = await readdir(join(project, `${SCENARIO}/evaluations/1/traces`));
    expect(traces).toHaveLength(domain.tasks);
    for (const name of traces)
      expect((await stat(join(project, `${SCENARIO}/evaluations/1/traces`, name))).size).toBeLessThan(8000);
    expect(await read(`${SCENARIO}/evaluations/1/report.md`)).toContain('100 %');
  }, 900_000);

  test('is judged again from its traces, and not by another world', async () => {
    const place = `${SCENARIO}/evaluations/1`;
    const judged = await tandem(project, ['rejudge', place, '--json']);
    expect(judged.code, judged.stderr).toBe(0);
    expect(lastJson(judged)).toMatchObject({ total: domain.tasks, agreed: domain.tasks });
    const world = `${place}/samples/worlds/db.json`;
    const text = await read(world);
    try {
      await writeFile(join(project, world), text.replace('Größte Leserin 3', 'Kleinste Leserin 3'));
      const other = await tandem(project, ['rejudge', `${place}/traces/library-17.1.jsonl`]);
      expect(other.code).toBe(1);
      expect(other.stdout).toContain('samples/worlds/db.json, which is another one here');
    } finally {
      await writeFile(join(project, world), text);
    }
  }, 600_000);

  test('killed in the middle, it goes on where it was: nothing is proven or played twice, and the results are the same', async () => {
    const whole = await resultsOf(`${SCENARIO}/evaluations/1`);
    const done = await killAfter(8);
    expect(done).toBeLessThan(domain.tasks);
    const again = await tandem(project, ['evaluate', 'library', '--subject', 'gold']);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toMatch(/^Goes on in .*evaluations\/2$/m);
    expect(again.stderr).not.toContain('Proving');
    const timeless = (results: Results) =>
      JSON.stringify(results, (key, value: unknown) => (key === 'durationMs' ? 0 : value));
    expect(timeless(await resultsOf(`${SCENARIO}/evaluations/2`))).toBe(timeless(whole));
    expect(await readdir(join(project, `${SCENARIO}/evaluations/2`))).not.toContain('unfinished');
  }, 900_000);
});

/** Kills an evaluation when so many trials are told to be done; answers with how many it remembers. */
async function killAfter(trials: number): Promise<number> {
  const child = start(project, ['evaluate', 'library', '--subject', 'gold']);
  child.stderr?.on('data', (text: string) => {
    if (text.includes(`${trials}/${domain.tasks} `)) child.kill('SIGKILL');
  });
  await child.done;
  const finished = await readFile(join(project, `${SCENARIO}/evaluations/2/unfinished/finished.jsonl`), 'utf8');
  return finished.split('\ntrials').length;
}
