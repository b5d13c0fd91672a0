import { expect, test } from 'vitest';
import { onDisk, valueOnErrno } from '../../src/disk/disk-fault.ts';
import { HarnessError } from '../../src/errors.ts';

const system = (code: string) => Object.assign(new Error(`${code}: no space left on device, write`), { code });

test('an error of the system is worth another try, and says what to do', async () => {
  const work = onDisk('Committing design/r1', async () => Promise.reject(system('ENOSPC')));
  await expect(work).rejects.toMatchObject({
    code: 'infrastructure',
    retryable: true,
    message: 'Committing design/r1 failed: ENOSPC: no space left on device, write. Free some space, then run it again.',
    details: { doing: 'Committing design/r1', errno: 'ENOSPC' },
  });
});

test('our own errors, and mistakes in the program, go on as they are', async () => {
  const ours = new HarnessError('journal_conflict', 'x');
  await expect(onDisk('x', async () => Promise.reject(ours))).rejects.toBe(ours);
  const mistake = new TypeError('x');
  await expect(onDisk('x', async () => Promise.reject(mistake))).rejects.toBe(mistake);
});

test('only the named error is turned into a value', async () => {
  expect(await valueOnErrno('ENOENT', 7, Promise.reject(system('ENOENT')))).toBe(7);
  await expect(valueOnErrno('ENOENT', 7, Promise.reject(system('EIO')))).rejects.toThrow('EIO');
});
