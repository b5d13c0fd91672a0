import { link, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileJournal } from '../../../src/adapters/files/file-journal.ts';
import type { Journal } from '../../../src/ports/journal.ts';
import { journalContract } from '../../contracts/journal.contract.ts';
import { memoryJournal } from '../../support/memory-journal.ts';
import { created, decided, designDone, started } from '../../support/run-events.ts';
import { scratch, tickingClock } from '../../support/scratch.ts';

const noLinks = async () => Promise.reject(Object.assign(new Error('no links here'), { code: 'ENOTSUP' }));

journalContract('files', async () => {
  const dir = await scratch();
  const again = () => openFileJournal(dir, { clock: tickingClock() });
  return { journal: again(), again };
});

journalContract('files, on a disk without hard links', async () => {
  const dir = await scratch();
  const again = () => openFileJournal(dir, { clock: tickingClock(), link: noLinks });
  return { journal: again(), again };
});

journalContract('in memory', async () => {
  const journal = memoryJournal(tickingClock());
  return { journal, again: () => journal };
});

async function story(): Promise<{ dir: string; journal: Journal; events: string }> {
  const dir = await scratch();
  const journal = openFileJournal(dir, { clock: tickingClock() });
  const happened = [created(), started(), designDone(1), decided(1, 'approve')];
  for (const [length, { body, actor }] of happened.entries()) await journal.append(body, actor, length);
  return { dir, journal, events: join(dir, 'events') };
}

async function change(path: string, edit: (event: Record<string, unknown>) => void): Promise<void> {
  const event = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  edit(event);
  await writeFile(path, JSON.stringify(event));
}

describe('a journal that was tampered with', () => {
  test('names the event whose content was changed', async () => {
    const { journal, events } = await story();
    await change(join(events, '000003.json'), (event) => (event['actor'] = 'user:eve'));
    await expect(journal.read()).rejects.toMatchObject({
      code: 'data_corrupt',
      details: { file: 'events/000003.json' },
      message: expect.stringContaining('its hash does not match'),
    });
  });

  test('names the event that follows another one than it says, though its own hash is right', async () => {
    const { journal, events } = await story();
    const forged = await scratch();
    const elsewhere = openFileJournal(forged, { clock: tickingClock('2027-01-01T00:00:00.000Z') });
    await elsewhere.append(created().body, 'user:eve', 0);
    await elsewhere.append(started().body, 'user:eve', 1);
    await writeFile(join(events, '000001.json'), await readFile(join(forged, 'events/000001.json')));
    await expect(journal.read()).rejects.toMatchObject({
      details: { file: 'events/000001.json' },
      message: expect.stringContaining('the chain is broken there'),
    });
  });

  test('names the event that is missing', async () => {
    const { journal, events } = await story();
    await rm(join(events, '000001.json'));
    await expect(journal.read()).rejects.toMatchObject({
      code: 'data_corrupt',
      message: expect.stringContaining('events/000001.json is missing'),
    });
  });

  test('names the event that is torn, empty or of another shape', async () => {
    const { journal, events } = await story();
    const path = join(events, '000002.json');
    const whole = await readFile(path, 'utf8');
    for (const text of ['', whole.slice(0, 40), '[]', whole.replace('design.done', 'design.unheard')]) {
      await writeFile(path, text);
      await expect(journal.read()).rejects.toMatchObject({
        code: 'data_corrupt',
        details: { file: 'events/000002.json' },
      });
    }
  });

  test('names an event under another number', async () => {
    const { journal, events } = await story();
    await writeFile(join(events, '000004.json'), await readFile(join(events, '000003.json')));
    await expect(journal.read()).rejects.toMatchObject({
      message: expect.stringContaining('says that it is number 3'),
    });
  });

  test('takes no event on top of a changed one', async () => {
    const { journal, events } = await story();
    await change(join(events, '000003.json'), (event) => (event['ts'] = '2020-01-01T00:00:00.000Z'));
    await expect(journal.append(started().body, 'worker:a', 4)).rejects.toMatchObject({ code: 'data_corrupt' });
  });

  test('does not mind another layout of the same JSON', async () => {
    const { journal, events } = await story();
    const before = await journal.read();
    await change(join(events, '000002.json'), () => undefined);
    expect(await journal.read()).toEqual(before);
  });
});

describe('the events folder', () => {
  test('may hold what is no event', async () => {
    const { journal, events } = await story();
    await writeFile(join(events, '.tmp-left-by-a-crash'), 'half');
    await writeFile(join(events, 'notes.txt'), 'mine');
    await mkdir(join(events, 'sub'));
    await symlink('/nowhere', join(events, 'dangling'));
    expect(await journal.read()).toHaveLength(4);
  });

  test('is swept of what dead writers left, and not of what a live one is writing', async () => {
    const { dir, events } = await story();
    await writeFile(join(events, '.tmp-old'), 'half');
    await utimes(join(events, '.tmp-old'), new Date(0), new Date(0));
    await writeFile(join(events, '.tmp-new'), 'half');
    await openFileJournal(dir, { clock: tickingClock() }).append(started().body, 'worker:a', 4);
    const names = await readdir(events);
    expect(names.filter((name) => name.startsWith('.tmp-'))).toEqual(['.tmp-new']);
  });

  test('keeps no temporary file after an append or a lost race', async () => {
    const { journal, events } = await story();
    await expect(journal.append(started().body, 'worker:a', 3)).rejects.toMatchObject({ code: 'journal_conflict' });
    expect((await readdir(events)).toSorted()).toEqual(['000000.json', '000001.json', '000002.json', '000003.json']);
  });
});

test('a link that was made though the answer got lost is known as ours', async () => {
  const dir = await scratch();
  const lossy = async (from: string, to: string) => {
    await link(from, to);
    throw Object.assign(new Error('again'), { code: 'EEXIST' });
  };
  const journal = openFileJournal(dir, { clock: tickingClock(), link: lossy });
  await journal.append(created().body, 'user:ada', 0);
  expect(await journal.read()).toHaveLength(1);
});

test('an event of another shape is refused before anything is written', async () => {
  const dir = await scratch();
  const journal = openFileJournal(dir, { clock: tickingClock() });
  const wrong = JSON.parse('{"type":"run.started","extra":1}') as { type: 'run.started' };
  await expect(journal.append(wrong, 'worker:a', 0)).rejects.toMatchObject({ code: 'event_refused' });
  expect(await readdir(dir)).toEqual([]);
});

test('a full or missing disk is an error that a later try may cure', async () => {
  const dir = await scratch();
  const journal = openFileJournal(join(dir, 'gone'), { clock: tickingClock() });
  await expect(journal.append(created().body, 'user:ada', 0)).rejects.toMatchObject({
    code: 'infrastructure',
    retryable: true,
  });
});
