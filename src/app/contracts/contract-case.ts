/** One rule of a port as any runner of tests can run it, and what the rules of all ports are written with. */
import assert from 'node:assert/strict';

/** `for (const { title, run } of cases) test(title, run)`. */
export type ContractCase = { title: string; run: () => Promise<void> };

/** `open` makes a fresh subject. */
export type Check<Subject> = readonly [title: string, check: (open: () => Promise<Subject>) => Promise<void>];

export function casesOf<Subject>(checks: readonly Check<Subject>[], open: () => Promise<Subject>): ContractCase[] {
  return checks.map(([title, check]) => ({ title, run: () => check(open) }));
}

/** Holds at least what `like` has; a pattern stands for the texts that it fits. */
export function assertLike(actual: unknown, like: object): void {
  assert.ok(typeof actual === 'object' && actual !== null, `${JSON.stringify(actual)} is no object`);
  for (const [key, wanted] of Object.entries(like) as [string, unknown][]) {
    const found: unknown = (actual as Record<string, unknown>)[key];
    if (wanted instanceof RegExp) assert.match(String(found), wanted);
    else if (typeof wanted === 'object' && wanted !== null) assertLike(found, wanted);
    else assert.equal(found, wanted, key);
  }
}

export async function assertRejects(work: Promise<unknown> | undefined, like: object): Promise<void> {
  await assert.rejects(Promise.resolve(work), (error) => {
    assertLike(error, like);
    return true;
  });
}
