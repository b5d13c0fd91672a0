/** Runs of every milestone, in every state, go on with today's code: same verdict, nothing paid twice, everything opens. */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { reportCommand } from '../../src/cli/run/report.ts';
import { verifyCommand } from '../../src/cli/run/control.ts';
import { fakeIo } from '../cli/fake-io.ts';
import { prepareScenario, SCENARIO, STATES, type GoldenState } from '../golden-runs/golden-project.ts';
import { digestAt, initScenario, lastJson, makeProject, spendLines, tandem } from '../support/cli.ts';
import { serve } from '../support/waiting-project.ts';

const GOLDEN = resolve('test/golden-runs');
const milestones = (await readdir(GOLDEN)).flatMap((name) => /^(.+)\.tar\.br$/.exec(name)?.[1] ?? []);

async function projectOf(milestone: string): Promise<string> {
  const project = await makeProject();
  await initScenario(project, SCENARIO);
  await prepareScenario(project);
  const runs = join(project, 'scenarios', SCENARIO, 'runs');
  await mkdir(runs);
  const packed = await readFile(join(GOLDEN, `${milestone}.tar.br`));
  execFileSync('tar', ['-xf', '-'], { cwd: runs, input: brotliDecompressSync(packed) });
  return project;
}

async function goOn(project: string, state: GoldenState) {
  if (state.startsWith('waiting')) {
    // The first round is made once more, so Init goes on with thinking that an older version's prompt came before.
    const answer = state === 'waiting-r1' ? ['request-changes', '--comment', 'R1: a clearer title.'] : ['approve'];
    const [decision = '', ...rest] = answer;
    const decided = ['gates', decision, state, '--digest', await digestAt(project, state), ...rest];
    expect(await tandem(project, decided)).toMatchObject({ code: 0 });
  }
  const raise = state === 'paused' ? ['--raise', '5'] : [];
  return tandem(project, ['resume', state, '--on-gate', 'auto:demo', '--json', ...raise]);
}

/** Calls that were answered, each with how often. */
async function answered(runDir: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { type, call } of await spendLines(runDir))
    if (type === 'settled') counts.set(call, (counts.get(call) ?? 0) + 1);
  return counts;
}

test('there are golden runs of every milestone', () => expect(milestones.length).toBeGreaterThanOrEqual(3));

describe.each(milestones)('runs of %s', (milestone) => {
  let project = '';
  const dirOf = (state: GoldenState) => join(project, 'scenarios', SCENARIO, 'runs', state);
  beforeAll(async () => {
    project = await projectOf(milestone);
  });

  test.concurrent.each(STATES)('%s', async (state) => {
    const before = await answered(dirOf(state));
    const ended = await goOn(project, state);
    expect({ code: ended.code, stderr: ended.stderr.slice(-2000) }).toMatchObject({ code: 0 });
    expect(lastJson(ended)).toMatchObject({ status: 'succeeded', successRate: 1 });
    // The API would have refused it with 400 first: nothing that an older version bound to another prompt is sent.
    expect(ended.stderr).not.toContain('without thinking');
    const after = await answered(dirOf(state));
    for (const [call, times] of before) expect([call, after.get(call)]).toEqual([call, times]);

    const io = fakeIo(project);
    expect(await verifyCommand(state, { json: true }, io), io.lines.at(-1)).toBe(0);
    for (const format of ['md', 'html', 'junit', 'json']) expect(await reportCommand(state, { format }, io)).toBe(0);
  });

  test('every page opens', async () => {
    const { url, signIn, stop } = await serve(project);
    try {
      const signedIn = await fetch(signIn, { redirect: 'manual' });
      const cookie = signedIn.headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ');
      for (const path of ['/', ...STATES.map((state) => `/runs/${state}`)]) {
        const page = await fetch(new URL(path, url), { headers: { cookie } });
        expect([path, page.status]).toEqual([path, 200]);
      }
    } finally {
      await stop();
    }
  });
});
