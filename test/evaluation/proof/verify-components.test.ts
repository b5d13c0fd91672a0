import { describe, expect, test } from 'vitest';
import { openConfined } from '../../../src/app/open-sandbox.ts';
import { Verification } from '../../../src/scenario/result.ts';
import { turnOn } from '../lamps.ts';
import { turnOnWith, verify } from './verify-lamps.ts';

describe('components that prove themselves', () => {
  test('pass in the real sandbox, each sample with all four proofs and every rule covered', async () => {
    const verification = await verify({ sandbox: await openConfined({}) });
    expect(verification.problems).toEqual([]);
    expect(verification).toEqual({
      ok: true,
      problems: [],
      proofs: [
        { sample: 'locked-lamp', gold: true, nothing: true, wrong: true, mutants: true },
        { sample: 'turn-on', gold: true, nothing: true, wrong: true, mutants: true },
      ],
      coverage: {
        R1: { samples: ['turn-on'], checkers: ['as-asked'] },
        R2: { samples: ['locked-lamp'], checkers: ['locked-untouched'] },
      },
    });
    expect(Verification.safeParse(verification).success).toBe(true);
  });

  test('prove a sample whose end is free by its checkers: gold passes, nothing and the wrong path fail', async () => {
    const free = { expect: { ...turnOn.expect, end_state: 'any' } };
    const verification = await verify(turnOnWith(free));
    expect(verification.problems).toEqual([]);
    expect(verification.proofs[1]).toEqual({
      sample: 'turn-on',
      gold: true,
      nothing: true,
      wrong: true,
      mutants: true,
    });
    // Its checker looks at what was said and done, and not at the end.
    const blind = `
export const checker = { id: 'as-asked', description: 'R1', rules: ['R1'] };
export function check({ trace }) {
  const pass = trace.calls.some(({ tool, input }) => tool === 'switch_lamp' && input.on);
  return { pass, reason: pass ? 'called' : 'never called', evidence: [] };
}`;
    const files = { 'checkers/as-asked.mjs': blind, 'samples/turn-on.json': { ...turnOn, ...free } };
    const { ok, problems } = await verify({ files });
    expect(ok).toBe(false);
    expect(problems).toMatchObject([
      { code: 'mutant-passes', sample: 'turn-on', message: expect.stringContaining('no checker looks at the end') },
    ]);
  });

  test('fifteen samples are verified in the real sandbox', async () => {
    const many = Array.from({ length: 15 }, (_, index) => [`samples/s${index}.json`, { ...turnOn, id: `s${index}` }]);
    const sandbox = await openConfined({});
    const verification = await verify({ files: Object.fromEntries(many), sandbox });
    expect(verification.ok).toBe(true);
  });

  test('an abort rejects with its reason', async () => {
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    await expect(verify({ signal: controller.signal })).rejects.toThrow('enough');
  });
});
