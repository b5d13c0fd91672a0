/** An outage changes no verdict: the same run in storms of faults ends as on a calm day, sample by sample (docs/operations.md). */
import { cp, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { beforeAll, expect, test } from 'vitest';
import { resumeCommand } from '../../src/cli/run/resume.ts';
import { runCommand } from '../../src/cli/run/run.ts';
import { initCommand } from '../../src/cli/serve/init.ts';
import { chance, faultsFor } from '../support/chaos.ts';
import { quietIo } from '../support/project.ts';

const FULL = process.env['TANDEM_STORMS'] === 'full';
const SCENARIO = FULL ? 'refund-desk' : 'desk';
/** Each is three whole runs: CI tries some, `npm run test:nightly` all. */
const SEEDS = Array.from({ length: FULL ? 10 : 4 }, (_, index) => index + 1);
/** More requests than any run here makes, with all that is sent again. */
const REQUESTS = 2000;
const MOST_RESUMES = 30;
/** They mostly wait: the offline model asks for a second after each 429. */
const AT_ONCE = 5;
const { signal } = new AbortController();

const PROFILE = `version: 1
retry: { call_tries: 3, step_tries: 2, min_delay_ms: 1, max_delay_ms: 5 }
`;

async function ground(): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'tandem-storm-'));
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  await mkdir(join(project, 'scenarios'));
  await writeFile(join(project, 'config/profiles/storm.yaml'), PROFILE);
  if (FULL) await cp(join('scenarios', SCENARIO), join(project, 'scenarios', SCENARIO), { recursive: true });
  else await initCommand(SCENARIO, {}, quietIo(project));
  return project;
}

/** What a run came to: its exit code, and every outcome of every iteration. */
type Ending = { code: number; iterations: string[] };

/** `codes` of the command lines that it took; each begins in the same storm again. */
async function ride(seed: number, rate: number): Promise<Ending & { codes: number[] }> {
  const project = await ground();
  const script = join(project, 'scenarios', SCENARIO, 'simulation/init.yaml');
  const faults = faultsFor(chance(seed), rate === 0 ? 0 : REQUESTS, rate);
  await writeFile(script, `${await readFile(script, 'utf8')}\nfaults: ${JSON.stringify(faults)}\n`);
  const io = quietIo(project);
  const options = { profile: 'storm', onGate: 'auto:demo', json: true };
  const codes = [await runCommand(SCENARIO, { ...options, id: 'one' }, { io, signal })];
  while (codes.at(-1) === 6 && codes.length <= MOST_RESUMES)
    codes.push(await resumeCommand('one', options, { io, signal }));
  return {
    codes,
    code: codes.at(-1) ?? -1,
    iterations: await outcomesOf(join(project, 'scenarios', SCENARIO, 'runs/one')),
  };
}

async function outcomesOf(run: string): Promise<string[]> {
  const folder = join(run, 'execution_outputs');
  const names = (await readdir(folder)).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const { samples } = JSON.parse(await readFile(join(folder, name, 'results.json'), 'utf8')) as {
        samples: { id: string; trials: { outcome: string; stop: string }[] }[];
      };
      const shown = samples.map(
        ({ id, trials }) => `${id} ${trials.map(({ outcome, stop }) => `${outcome}/${stop}`).join(' ')}`,
      );
      return `${name}: ${shown.join(', ')}`;
    }),
  );
}

let calm: Awaited<ReturnType<typeof ride>>;
beforeAll(async () => {
  calm = await ride(0, 0);
  expect(calm.codes).toEqual([0]);
  expect(calm.iterations.length).toBeGreaterThan(1);
});

test.each([0.05, 0.2, 0.5])('at a rate of faults of %d every run ends as without any', async (rate) => {
  const together = pLimit(AT_ONCE);
  const stormy = await Promise.all(SEEDS.map((seed) => together(() => ride(seed, rate))));
  for (const { code, iterations } of stormy)
    expect({ code, iterations }).toEqual({ code: calm.code, iterations: calm.iterations });
  const resumes = stormy.flatMap(({ codes }) => codes.slice(1));
  if (rate >= 0.5) expect(resumes.length).toBeGreaterThan(0);
});
