/**
 * Every shipped policy carries a whole run: compacted again and again, by summaries of its own fields, and by no fallback.
 * TANDEM_STORMS=full plays all of them.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { CompactionEntry } from '../../src/transcript/entry.ts';
import { makeProject } from '../support/cli.ts';
import { POLICY_NAMES } from '../support/policies.ts';
import { approveAll, openOn } from '../support/project.ts';

const NAME = 'refund-desk';
/** Policies whose work on the wire has another test, so that CI leaves their whole runs to the night. */
const ELSEWHERE: Record<string, string> = {
  layered: 'test/wire/layered.test.ts',
  selective: 'test/wire/selective.test.ts',
  'two-agent': 'test/wire/two-agent.test.ts',
  windowed: 'test/wire/windows.test.ts',
};
const PLAYED = POLICY_NAMES.filter((name) => process.env['TANDEM_STORMS'] === 'full' || ELSEWHERE[name] === undefined);
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
  const dir = await makeProject(NAME);
  folders.push(dir);
  await mkdir(join(dir, 'config/context'), { recursive: true });
  await writeFile(join(dir, 'config/context/small.yaml'), SMALL(policy));
  const agents = {
    init: { policy: 'small', trigger: { tokens: 16_000 } },
    execute: { policy: 'small', trigger: { tokens: 22_000 } },
  };
  return openOn(dir, NAME, { flags: { agents, retry: { min_delay_ms: 1, max_delay_ms: 2 } } });
}

test.each(Object.values(ELSEWHERE))('%s is there for the policies that are not played here', (path) => {
  expect(existsSync(path)).toBe(true);
});

test.each(PLAYED)('%s', async (policy) => {
  const { app, begin } = await projectWith(policy);
  try {
    const run = await begin('run-1');
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
      const answers = rest.filter((entry) => 'response' in entry).map(({ id }) => id);
      const calls = await run.transcripts.calls(agent);
      expect(calls.flatMap(({ entry }) => entry ?? [])).toEqual(answers);
      expect(calls.every(({ outcome }) => outcome === 'answered')).toBe(true);
    }
  } finally {
    await app.close();
  }
});
