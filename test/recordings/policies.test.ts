/** Every shipped policy on real sessions, with every kind of summariser: valid, fitting, remembering. */
import { describe, expect, test } from 'vitest';
import { findHome } from '../../src/config/home.ts';
import { loadCore } from '../../src/config/load-core.ts';
import { POLICY_NAMES } from '../support/policies.ts';
import { readSession, REAL_SESSIONS } from '../support/recordings.ts';
import { expectSoundReplay, SUMMARISER_KINDS } from '../support/replayed.ts';

const SESSIONS = ['claude-code-a', 'claude-code-b', 'pi-a'];

describe.each(POLICY_NAMES)('%s', (policy) => {
  test.each(SESSIONS.flatMap((name) => SUMMARISER_KINDS.map((kind) => [name, kind] as const)))(
    '%s with a %s summariser: nothing refused, nothing stale, everything fits',
    async (name, kind) => {
      const { entries } = readSession(REAL_SESSIONS, name);
      const core = await loadCore(findHome('.'), policy, 'execute');
      const budget = { window: 200_000, maxOutput: 16_000, floor: 0 };
      const { calls } = await expectSoundReplay(entries, { ...core, budget }, kind);
      expect(calls).toBeGreaterThan(100);
    },
  );
});
