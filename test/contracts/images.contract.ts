/** What every keeper of images does. */
import { expect, test } from 'vitest';
import type { Images } from '../../src/ports/images.ts';

export function imagesContract(open: () => Promise<Images>): void {
  const data = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 1]).toString('base64');

  test('gives back the bytes that it was given, under their hash', async () => {
    const images = await open();
    const kept = await images.keep(data);
    expect(kept).toEqual({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string, bytes: 7 });
    expect(await images.load(kept.sha256)).toBe(data);
  });

  test('keeps the same bytes once, and others apart', async () => {
    const images = await open();
    const [one, again, other] = await Promise.all([data, data, 'AAAA'].map((each) => images.keep(each)));
    expect(again).toEqual(one);
    expect(other?.sha256).not.toBe(one?.sha256);
    expect(await images.load(other?.sha256 ?? '')).toBe('AAAA');
  });

  test('names what is not there', async () => {
    const images = await open();
    for (const sha256 of ['0'.repeat(64), '../../events/000000.json', ''])
      await expect(images.load(sha256)).rejects.toMatchObject({ code: 'data_corrupt' });
  });
}
