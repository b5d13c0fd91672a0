/** The start of a run says what `trigger: auto` would save, and where an agent compacts that has it. */
import { expect, test } from 'vitest';
import { withTrigger } from '../../src/agent/definition.ts';
import { findHome } from '../../src/config/home.ts';
import { loadAgent } from '../../src/config/load-agent.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { listAutoNotices } from '../../src/pipeline/auto-notices.ts';
import { facts } from '../support/responses.ts';

const home = findHome('.');
const init = await loadAgent(home, 'init', await loadConfig(home, {}));
const catalogue = { describe: () => Promise.resolve(facts({ window: 1_000_000 })) };
const { signal } = new AbortController();

test('a large window saves half and more; what has it is said; a model that nobody knows is passed over', async () => {
  expect(await listAutoNotices({ agents: { init }, catalogue }, signal)).toEqual([
    expect.stringMatching(
      /^Agent init .* compacts its context at 750000 tokens\. .* cheaper with `trigger: auto` in agents\/init\/agent\.yaml: about [5-7]\d % /,
    ),
  ]);
  const auto = { ...init, policy: { ...init.policy, trigger: withTrigger(init.policy.trigger, 'auto') } };
  expect(await listAutoNotices({ agents: { init: auto }, catalogue }, signal)).toEqual([
    'Agent init (test-model) compacts where its session is cheapest, and at 750000 tokens at the latest.',
  ]);
  const unknown = { describe: () => Promise.reject(new Error('not found')) };
  expect(await listAutoNotices({ agents: { init }, catalogue: unknown }, signal)).toEqual([]);
});
