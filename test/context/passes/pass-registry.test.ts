/** Every pass of the registry on random conversations: whatever it edits or drops, the view can still be sent. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toolResultsIn, type PluginPasses } from '../../../src/context/passes/cut-draft.ts';
import { PASS_NAMES } from '../../../src/context/passes/pass-registry.ts';
import { PassSpec } from '../../../src/context/pass-spec.ts';
import { compactBy, faultOf, POLICY_NAMES, shippedPolicy, smallCore } from '../../support/policies.ts';
import { begunLog, moves, play } from '../../support/transcripts.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const SHIPPED = POLICY_NAMES.flatMap((name) => shippedPolicy(name).passes);

/** A pass of a plugin: as careless as one may be, it lets every result go. */
const mine: PluginPasses[string] = function* mine(draft, { units }) {
  const ids = units.flatMap((unit) => toolResultsIn(unit).map(({ block }) => block.tool_use_id));
  yield { draft: { ...draft, shortened: Object.fromEntries(ids.map((id) => [id, 'gone'])) }, detail: 'all' };
};
const PLUGIN = PassSpec.parse({ pass: 'plugin', plugin: 'mine' });

/** As a shipped policy uses it, else with its own defaults. */
const specOf = (name: string) =>
  name === 'plugin' ? PLUGIN : (SHIPPED.find(({ pass }) => pass === name) ?? PassSpec.parse(name));

describe.each(PASS_NAMES)('%s', (name) => {
  test('followed by the shortest ladder, leaves a view that can be sent and is smaller', () => {
    const passes = [specOf(name), 'keep-fewer-steps'];
    const trigger = { ratio: undefined, tokens: 9000, reserve: 500 };
    const core = { ...smallCore('two-agent', { passes, trigger }), passes: { mine } };
    fc.assert(
      fc.property(moves, (list) => {
        const log = begunLog();
        for (const move of list) play(log, move);
        const { accepted } = compactBy(log, core, ['the task is unchanged [#e1]']);
        expect(faultOf(log.entries)).toBeUndefined();
        if (accepted?.ok !== true) return;
        const { tokensBefore, tokensAfter, decisions } = accepted.entry.receipt;
        expect(tokensAfter).toBeLessThan(tokensBefore);
        expect(decisions.every(({ pass }) => [name, 'plugin:mine', 'keep-fewer-steps'].includes(pass))).toBe(true);
      }),
      propertyRuns(15),
    );
  });
});
