/** What every place of shared files must do: whole files by path, seen by all processes, and one winner of several. */
import { describe, expect, test } from 'vitest';
import type { SharedFiles } from '../../src/ports/shared-files.ts';

/** `another`: as another process has them. */
export type SharedFilesUnderTest = { shared: SharedFiles; another: () => SharedFiles };

export function sharedFilesContract(name: string, make: () => Promise<SharedFilesUnderTest>): void {
  describe(`shared-files contract: ${name}`, () => {
    test('what one writes another reads, lists and removes', async () => {
      const { shared, another } = await make();
      expect(await shared.read('marks/a.json')).toBeUndefined();
      expect([...(await shared.list('marks'))]).toEqual([]);
      await shared.write('marks/a.json', 'one');
      await shared.write('marks/a.json', 'two');
      await shared.write('marks/deep/b.json', '{"b": "ä"}\n');
      await shared.write('marksmen/c.json', 'other');
      expect(await another().read('marks/a.json')).toBe('two');
      const listed = [...(await another().list('marks'))].toSorted(([one], [other]) => one.localeCompare(other));
      expect(listed).toEqual([
        ['a.json', 'two'],
        ['deep/b.json', '{"b": "ä"}\n'],
      ]);
      await another().remove('marks/deep');
      await another().remove('marks/none');
      expect([...(await shared.list('marks')).keys()]).toEqual(['a.json']);
      await another().remove('marks/a.json');
      expect(await shared.read('marks/a.json')).toBeUndefined();
      expect(await shared.read('marksmen/c.json')).toBe('other');
    });

    test('of several that create one does, and of several that take it away too', async () => {
      const { shared, another } = await make();
      const all = [shared, another(), shared, another()];
      const created = await Promise.all(all.map((one, index) => one.create('lease.json', `by ${index}`)));
      expect(created.filter(Boolean)).toHaveLength(1);
      const text = `by ${created.indexOf(true)}`;
      expect(await another().read('lease.json')).toBe(text);
      expect(await another().take('lease.json', 'by nobody')).toBe(false);
      expect(await shared.read('lease.json')).toBe(text);
      const taken = await Promise.all(all.map((one) => one.take('lease.json', text)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await shared.read('lease.json')).toBeUndefined();
      expect(await another().create('lease.json', 'again')).toBe(true);
    });

    test.each(['../x', '/etc/x', 'a/../../x', 'a//b', '', 'a\\b'])(
      'neither writes nor reads outside: %j',
      async (path) => {
        const { shared } = await make();
        for (const call of [shared.read(path), shared.write(path, 'x'), shared.remove(path), shared.list(path)])
          await expect(call).rejects.toMatchObject({ code: 'usage' });
      },
    );
  });
}
