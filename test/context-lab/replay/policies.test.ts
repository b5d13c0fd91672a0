/** Every shipped policy on recorded sessions, ours in the shapes of other harnesses, with every kind of summariser. */
import { describe, expect, test } from 'vitest';
import { POLICY_NAMES, smallCore } from '../../support/policies.ts';
import { FIXTURES, readSession } from '../../support/recordings.ts';
import { expectSoundReplay } from '../../support/replayed.ts';

/** The longer session once, the shorter one with a summariser that forgets and with one that fails. */
const PLAYED = [
  ['claude-code', 'perfect'],
  ['claude-code-short', 'empty'],
  ['claude-code-short', 'failing'],
] as const;

describe.each(POLICY_NAMES)('%s', (policy) => {
  test.each(PLAYED)('%s with a %s summariser: nothing refused, nothing stale, everything fits', async (name, kind) => {
    const { entries } = readSession(FIXTURES, name);
    const made = await expectSoundReplay(entries, smallCore(policy), kind);
    expect(made.calls).toBe(entries.filter(({ origin }) => origin === 'model').length);
    expect(made.rewrites).toBeGreaterThan(0);
  });
});
