/** What a run was begun with goes with it, and a process that would go on with something else says so or leaves it. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { findHome } from '../../src/config/home.ts';
import { loadAgent } from '../../src/config/load-agent.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { loadPrompts } from '../../src/config/load-prompts.ts';
import { HarnessError } from '../../src/errors.ts';
import type { Config } from '../../src/config/schema.ts';
import type { Deps } from '../../src/pipeline/deps.ts';
import {
  currentConfig,
  checkRunConfig,
  writeRunConfig,
  readRunConfig,
  changedSettings,
  configMismatch,
} from '../../src/pipeline/run-config.ts';
import { created } from '../support/run-events.ts';
import { scratch, tickingClock } from '../support/scratch.ts';

const home = findHome('.');

async function depsWith(agents: Config['agents'], simulated = true): Promise<Deps> {
  const config = await loadConfig(home, { flags: { agents } });
  const loaded = { init: await loadAgent(home, 'init', config), execute: await loadAgent(home, 'execute', config) };
  const prompts = await loadPrompts(home);
  return { config, agents: loaded, prompts, simulated, endpoint: 'https://api.example' } as unknown as Deps;
}

async function runOf(simulated = true) {
  const dir = await scratch();
  await mkdir(join(dir, 'desk'));
  const run = await openFileRunStore({ roots: [dir], clock: tickingClock(), worker: 'w' }).create(
    join(dir, 'desk'),
    'run-1',
  );
  const { body, actor } = created({}, { simulated });
  await run.journal.append(body, actor, 0);
  return run;
}

test('a run that goes on with the same settings has nothing to tell', async () => {
  const run = await runOf();
  const deps = await depsWith({ init: { keep_steps: 7 } });
  await writeRunConfig(run, currentConfig(deps));
  const stored = await readRunConfig(run);
  expect(stored).toEqual(currentConfig(deps));
  expect(await checkRunConfig(run, { stored, own: deps.config }, deps)).toEqual([]);
});

test('each setting in which a worker differs is named with both values, and the run keeps its own', async () => {
  const run = await runOf();
  const begun = await depsWith({ init: { keep_steps: 7 }, execute: { model: 'claude-opus-5-5' } });
  await writeRunConfig(run, currentConfig(begun));
  const worker = await depsWith({ init: { keep_steps: 3 } });
  const told = await checkRunConfig(run, { stored: await readRunConfig(run), own: worker.config }, begun);
  expect(told).toEqual([
    'Run run-1 goes on with what it was begun with: execute.model claude-opus-5-5 (here: as shipped), init.keep_steps 7 (here: 3).',
  ]);
  expect(changedSettings(currentConfig(begun), begun.config)).toEqual([]);
});

test('agents and prompts that were changed since are told of', async () => {
  const run = await runOf();
  const deps = await depsWith({});
  const stored = { ...currentConfig(deps), agentsDigest: 'of another day' };
  expect(await checkRunConfig(run, { stored, own: deps.config }, deps)).toEqual([
    expect.stringContaining('other agents/, prompts/'),
  ]);
});

test.each([
  [true, false, /begun with the offline model.*answers for real.*it is left as it is/],
  [false, true, /begun with a real model.*Set ANTHROPIC_API_KEY/],
])('a run is not carried on by another kind of model (offline %s, here %s)', async (begun, here, message) => {
  const run = await runOf(begun);
  const deps = await depsWith({}, here);
  const refusal = checkRunConfig(run, { stored: undefined, own: deps.config }, deps);
  await expect(refusal).rejects.toMatchObject({ code: 'version_mismatch', message: expect.stringMatching(message) });
});

test('what cannot be had here is refused by its name; what has another cause stays what it is', async () => {
  const begun = currentConfig(await depsWith({ execute: { policy: 'layered' } }));
  const { config } = await depsWith({});
  const missing = new HarnessError('config_invalid', 'There is no config/context/layered.yaml.');
  expect(configMismatch('run-1', { stored: begun, own: config }, missing)).toMatchObject({
    code: 'version_mismatch',
    message:
      'Run run-1 was begun with execute.policy layered (here: as shipped), and that cannot be had here: There is no config/context/layered.yaml.',
  });
  const away = new HarnessError('model_unavailable', 'away', { retryable: true });
  expect(configMismatch('run-1', { stored: begun, own: config }, away)).toBe(away);
  expect(configMismatch('run-1', { stored: { ...begun, agents: config.agents }, own: config }, missing)).toBe(missing);
});
