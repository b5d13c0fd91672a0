/** What every journal must do, whatever it stands on. */
import { describe, expect, test } from 'vitest';
import type { Journal } from '../../src/ports/journal.ts';
import { fold } from '../../src/run/fold.ts';
import { created, decided, designDone, started } from '../support/run-events.ts';

/** `open` makes a fresh journal; `again` opens what `open` made last, as another process would. */
export function journalContract(name: string, make: () => Promise<{ journal: Journal; again: () => Journal }>): void {
  describe(`journal contract: ${name}`, () => {
    test('is empty at first', async () => {
      const { journal } = await make();
      expect(await journal.read()).toEqual([]);
    });

    test('gives back what was appended, in order, to every reader', async () => {
      const { journal, again } = await make();
      const story = [created(), started(), designDone(1), decided(1, 'approve', { comment: 'gut: „ja“\u2028' })];
      for (const [length, { body, actor }] of story.entries()) await journal.append(body, actor, length);
      const events = await again().read();
      expect(events.map(({ seq, actor, body }) => ({ seq, actor, body }))).toEqual(
        story.map(({ actor, body }, seq) => ({ seq, actor, body })),
      );
      expect(fold(events).status).toBe('executing');
    });

    test('answers with the event as it now stands there', async () => {
      const { journal } = await make();
      const event = await journal.append(created().body, 'user:ada', 0);
      expect(await journal.read()).toEqual([event]);
    });

    test('says whether an event of a number is there, also when another wrote it', async () => {
      const { journal, again } = await make();
      expect(await journal.holds(0)).toBe(false);
      await again().append(created().body, 'user:ada', 0);
      expect([await journal.holds(0), await journal.holds(1)]).toEqual([true, false]);
    });

    test('gives only the events after one that the reader names', async () => {
      const { journal, again } = await make();
      const first = await journal.append(created().body, 'user:ada', 0);
      expect(await again().read(first)).toEqual([]);
      const second = await again().append(started().body, 'worker:a', 1);
      expect(await journal.read(first)).toEqual([second]);
      expect(await journal.read(second)).toEqual([]);
    });

    test('chains each event to the hash of the one before', async () => {
      const { journal } = await make();
      const first = await journal.append(created().body, 'user:ada', 0);
      const second = await journal.append(started().body, 'worker:a', 1);
      expect(first.prev).toBe('');
      expect(second.prev).toBe(first.hash);
      expect(second.hash).toMatch(/^[0-9a-f]{64}$/);
      expect(second.hash).not.toBe(first.hash);
    });

    test.each([0, 2, 7])('refuses a writer who believes that it holds %i events when it holds 1', async (length) => {
      const { journal, again } = await make();
      await journal.append(created().body, 'user:ada', 0);
      await expect(again().append(started().body, 'worker:a', length)).rejects.toMatchObject({
        code: 'journal_conflict',
      });
      expect(await journal.read()).toHaveLength(1);
    });

    test('lets one of many writers win, and the others write nothing', async () => {
      const { journal, again } = await make();
      await journal.append(created().body, 'user:ada', 0);
      const writers = Array.from({ length: 8 }, (_, index) => again().append(started().body, `worker:${index}`, 1));
      const outcomes = await Promise.allSettled(writers);
      const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.actor] : []));
      expect(won).toHaveLength(1);
      const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      for (const reason of lost) expect(reason).toMatchObject({ code: 'journal_conflict' });
      expect((await journal.read()).map(({ actor }) => actor)).toEqual(['user:ada', ...won]);
    });
  });
}
