import { expect, test } from 'vitest';
import { findAdvice, isPermissionError, onDisk, valueOnErrno } from '../../src/disk/disk-fault.ts';
import { HarnessError } from '../../src/errors.ts';

const system = (code: string) => Object.assign(new Error(`${code}: no space left on device, write`), { code });

test('an error of the system is worth another try, and says what to do', async () => {
  const work = onDisk('Committing design/r1', async () => Promise.reject(system('ENOSPC')));
  await expect(work).rejects.toMatchObject({
    code: 'infrastructure',
    retryable: true,
    message: 'Committing design/r1 failed: no space left on device. Free some space, then run it again.',
    details: { doing: 'Committing design/r1', errno: 'ENOSPC' },
  });
});

test('our own errors, and mistakes in the program, go on as they are', async () => {
  const ours = new HarnessError('journal_conflict', 'x');
  await expect(onDisk('x', async () => Promise.reject(ours))).rejects.toBe(ours);
  const mistake = new TypeError('x');
  await expect(onDisk('x', async () => Promise.reject(mistake))).rejects.toBe(mistake);
});

test('a folder that cannot be made on a read-only disk is said to be that, by an operation of ours as well', async () => {
  const fault = Object.assign(new Error('ENOENT: no such file or directory, mkdir'), {
    code: 'ENOENT',
    syscall: 'mkdir',
  });
  await expect(onDisk('Writing batch b', () => Promise.reject(fault))).rejects.toThrow(/The disk is read-only/);
});

test('only the named error is turned into a value', async () => {
  expect(await valueOnErrno('ENOENT', 7, Promise.reject(system('ENOENT')))).toBe(7);
  await expect(valueOnErrno('ENOENT', 7, Promise.reject(system('EIO')))).rejects.toThrow('EIO');
});

test('a missing right to read is named as that', async () => {
  const refused = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  const failed = await onDisk('Reading the journal of r', () => Promise.reject(refused)).catch(
    (error: unknown) => error,
  );
  expect(failed).toMatchObject({ message: expect.stringContaining('no right to read there') });
  expect([isPermissionError(failed), isPermissionError(refused), isPermissionError(new Error('x'))]).toEqual([
    true,
    true,
    false,
  ]);
  await expect(onDisk('Writing a file', () => Promise.reject(refused))).rejects.toThrow(
    /the right to read and write there/,
  );
});

test('an error that no operation named has advice all the same', () => {
  const fault = (code: string, syscall: string) => Object.assign(new Error(`${code}: x`), { code, syscall });
  expect(findAdvice(fault('EACCES', 'mkdir'))).toContain('the right to read and write there');
  expect(findAdvice(fault('EROFS', 'mkdir'))).toContain('choose another folder');
  expect(findAdvice(fault('ENOENT', 'mkdir'))).toContain('The disk is read-only');
  expect(findAdvice(fault('EACCES', 'scandir'))).toContain('no right to read there');
  expect([findAdvice(fault('EISDIR', 'open')), findAdvice(new HarnessError('usage', 'x'))]).toEqual([
    undefined,
    undefined,
  ]);
});
