/** Advice about `trigger: auto`: what it would save, and where an agent compacts that has it. */
import { expect, test } from 'vitest';
import { withTrigger } from '../../src/agent/definition.ts';
import { findHome } from '../../src/config/home.ts';
import { loadAgent } from '../../src/config/load-agent.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { describeAutoTrigger } from '../../src/pipeline/auto-notices.ts';
import { facts } from '../support/responses.ts';

const home = findHome('.');
const init = await loadAgent(home, 'init', await loadConfig(home, {}));
const known = facts({ window: 1_000_000 });

test('a large window saves half and more; an agent that has `auto` is told where it compacts', () => {
  expect(describeAutoTrigger(init, known)).toMatch(
    /^Agent init .* compacts its context at 750000 tokens\. .* cheaper with `trigger: auto` in agents\/init\/agent\.yaml: about [5-7]\d % /,
  );
  const auto = { ...init, policy: { ...init.policy, trigger: withTrigger(init.policy.trigger, 'auto') } };
  expect(describeAutoTrigger(auto, known)).toBe(
    'Agent init (test-model) compacts where its session is cheapest, and at 750000 tokens at the latest.',
  );
});
