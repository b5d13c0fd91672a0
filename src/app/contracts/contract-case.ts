/** The contract cases of a port, for any test runner, and the helpers that all of them use. */
import assert from 'node:assert/strict';

/** Run as `for (const { title, run } of cases) test(title, run)`. */
export type ContractCase = { title: string; run: () => Promise<void> };

/** The rules of a port by title; each runs on a fresh subject. */
export type Checks<Subject> = Readonly<Record<string, (subject: Subject) => Promise<void>>>;

/** `close` ends the subject, also when its rule fails. */
export function createCases<Subject>(
  checks: Checks<Subject>,
  open: () => Promise<Subject>,
  close: (subject: Subject) => Promise<void> = async () => undefined,
): ContractCase[] {
  return Object.entries(checks).map(([title, check]) => ({
    title,
    run: async () => {
      const subject = await open();
      try {
        await check(subject);
      } finally {
        await close(subject);
      }
    },
  }));
}

/** Makes one rule for each of several values. */
export function checksFor<Value, Subject>(
  values: readonly Value[],
  rule: (value: Value) => readonly [title: string, check: (subject: Subject) => Promise<void>],
): Checks<Subject> {
  return Object.fromEntries(values.map(rule));
}

/** Asserts that `actual` has all that `like` has; a pattern matches texts. */
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
