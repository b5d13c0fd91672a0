/** What a pass of a plugin proposes is a cut, or is refused with its name. */
import { expect, test } from 'vitest';
import { type CutDraft, type PassContext, emptyDraft } from '../../../src/context/passes/cut-draft.ts';
import { pluginPass } from '../../../src/context/passes/pass-registry.ts';
import type { PassSpec } from '../../../src/context/pass-spec.ts';

type Spec = Extract<PassSpec, { pass: 'plugin' }>;
type Plugins = NonNullable<PassContext<Spec>['plugins']>;
const spec: Spec = { pass: 'plugin', plugin: 'mine', options: { latest: 1 } };
const attempts = (plugins: Plugins) => {
  const context = { units: [{}, {}], pinned: new Set(['e1']), messages: 9, policy: {}, spec, plugins };
  return [...pluginPass(emptyDraft(), context as unknown as PassContext<Spec>)];
};
const yields = (change: Partial<Record<keyof CutDraft, unknown>>): Plugins => ({
  *mine(draft) {
    yield { draft: { ...draft, ...change } as CutDraft, detail: 'mine' };
  },
});

test('its proposals are attempts, and it is given its options', () => {
  const plugins: Plugins = {
    *mine(draft, { spec: { options }, units }) {
      yield { draft: { ...draft, keepFrom: units.length - Number(options['latest']) }, detail: 'x'.repeat(300) };
    },
  };
  expect(attempts(plugins)).toEqual([{ draft: { ...emptyDraft(), keepFrom: 1 }, detail: 'x'.repeat(200) }]);
});

test.each([
  [{ keepFrom: 3 }, 'from 0 to 2'],
  [{ keepFrom: 0.5 }, 'from 0 to 2'],
  [{ left: ['e2'] }, 'has to be a Set'],
  [{ left: new Set(['e1']) }, 'drops e1, which is a task'],
  [{ shortened: { a: 1 } }, 'draft.shortened'],
  [{ inputs: { a: null } }, 'draft.inputs'],
  [{ pointers: undefined }, 'draft.pointers'],
])('%j is refused', (change, why) => {
  expect(() => attempts(yields(change))).toThrow(new RegExp(`passes\\.mine cannot be used: .*${why}`));
});

test('no draft at all, no end of proposals and no such pass are refused too', () => {
  expect(() => attempts({ mine: () => [undefined] as never })).toThrow('yield { draft, detail }');
  const endless: Plugins = {
    *mine(draft) {
      for (;;) yield { draft, detail: '' };
    },
  };
  expect(() => attempts(endless)).toThrow('more than 500 cuts');
  expect(() => attempts({})).toThrow('not in the tandem.config.ts');
});
