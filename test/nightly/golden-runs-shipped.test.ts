/**
 * Open runs of every shipped scenario end as they would have, by the rules that they began with.
 * Its small sibling in CI: test/slow/golden-runs-shipped.test.ts.
 */
import { readdir } from 'node:fs/promises';
import { describe } from 'vitest';
import { SHIPPED, testShippedRuns } from '../support/golden-shipped.ts';

const archives = (await readdir(SHIPPED)).flatMap((name) => /^(.+)\.tar\.br$/.exec(name)?.[1] ?? []);

describe.each(archives)('%s', (archive) => testShippedRuns(archive));
