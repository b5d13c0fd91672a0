/** What the cases of ports assert about objects and errors. */
import assert from 'node:assert/strict';

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
