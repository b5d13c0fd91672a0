/** Every shipped policy carries a whole run: compacted again and again, by summaries of its own fields, and by no fallback. */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openApp } from '../../src/app/open-app.ts';
import { findHome } from '../../src/config/home.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { loadScenario } from '../../src/config/load-scenario.ts';
import { startRun } from '../../src/pipeline/start-run.ts';
import type { CompactionEntry } from '../../src/transcript/entry.ts';
import { approveAll, live } from '../support/project.ts';
import { POLICY_NAMES } from '../support/policies.ts';

const NAME = 'refund-desk';
const folders: string[] = [];
afterEach(async () => {
  for (const dir of folders.splice(0)) await rm(dir, { recursive: true, force: true });
});

/** The policy with numbers so small that a short run is compacted several times. */
const SMALL = (policy: string) => `extends: ${policy}
name: ${policy}
target: { ratio: 0.8 }
keep: { maxTokens: 5000 }
longResult: { over: 1500, head: 400, tail: 300, errors: 200 }
summary: { maxTokens: 2000${policy === 'layered' || policy === 'budgeted' ? ', archive: 5000' : ''} }
facts: { task: 2000, firstTask: 600, messages: 800, todos: 500, decisions: 300, ledger: 1200, earlier: 500 }
`;

async function projectWith(policy: string) {
  const dir = await mkdtemp(join(tmpdir(), 'tandem-policy-'));
  folders.push(dir);
  await mkdir(join(dir, 'config/context'), { recursive: true });
  await writeFile(join(dir, 'config/context/small.yaml'), SMALL(policy));
  await cp(resolve('scenarios', NAME), join(dir, 'scenarios', NAME), {
    recursive: true,
    filter: (path) => !path.includes('/runs'),
  });
  const home = findHome(dir);
  const agents = {
    init: { policy: 'small', trigger: { tokens: 16_000 } },
    execute: { policy: 'small', trigger: { tokens: 20_000 } },
  };
  const config = await loadConfig(home, { flags: { agents, retry: { min_delay_ms: 1, max_delay_ms: 2 } } });
  const scenario = await loadScenario(home, NAME);
  const app = await openApp({ home, config, env: {}, scenario, progress: () => undefined, signal: live });
  return { app, scenario };
}

test.each(POLICY_NAMES)('%s', async (policy) => {
  const { app, scenario } = await projectWith(policy);
  try {
    const { simulated } = app.deps;
    const options = { actor: 'user:starter', configDigest: 'test', simulated, id: 'run-1' };
    const run = await startRun(scenario, options, app.deps);
    const state = await approveAll(app, run.id);
    expect(state).toMatchObject({ status: 'succeeded', verdict: { because: 'target' } });
    const entries = [...(await run.transcripts.read('init')), ...(await run.transcripts.read('execute'))];
    const made = entries.filter((entry): entry is CompactionEntry => entry.type === 'compaction');
    expect(made.length).toBeGreaterThan(4);
    expect(made.map(({ receipt }) => receipt.policy)).toEqual(made.map(() => policy));
    expect(made.filter(({ receipt }) => receipt.reason.startsWith('fallback'))).toEqual([]);
    for (const agent of ['init', 'execute']) {
      const [first, ...rest] = await run.transcripts.read(agent);
      expect(first).toMatchObject({ context: { policy } });
      const compactions = rest.filter(({ type }) => type === 'compaction').map(({ id }) => id);
      expect(Object.keys(await run.transcripts.times(agent)).toSorted()).toEqual(compactions.toSorted());
    }
  } finally {
    await app.close();
  }
});
