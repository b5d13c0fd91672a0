/** The rules of every image store. */
import assert from 'node:assert/strict';
import type { Images } from '../../../src/ports/images.ts';
import { createCases, type Checks, type ContractCase } from './contract-case.ts';
import { assertLike, assertRejects } from './assertions.ts';

const data = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 1]).toString('base64');

const CHECKS: Checks<Images> = {
  'gives back the bytes that it was given, under their hash': async (images) => {
    const stored = await images.keep(data);
    assertLike(stored, { sha256: /^[0-9a-f]{64}$/, bytes: 7 });
    assert.equal(await images.load(stored.sha256), data);
  },
  'stores the same bytes once, and others apart': async (images) => {
    const [one, again, other] = await Promise.all([data, data, 'AAAA'].map((each) => images.keep(each)));
    assert.deepEqual(again, one);
    assert.notEqual(other?.sha256, one?.sha256);
    assert.equal(await images.load(other?.sha256 ?? ''), 'AAAA');
  },
  'names what is not there': async (images) => {
    for (const sha256 of ['0'.repeat(64), '../../events/000000.json', ''])
      await assertRejects(images.load(sha256), { code: 'data_corrupt' });
  },
};

export function imagesCases(open: () => Promise<Images>): ContractCase[] {
  return createCases(CHECKS, open);
}
