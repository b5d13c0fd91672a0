import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventHash } from '../../src/adapters/files/file-journal.ts';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { verifyCommand } from '../../src/cli/run/control.ts';
import { statusCommand } from '../../src/cli/run/status.ts';
import { upgradeCheckCommand } from '../../src/cli/run/upgrade-check.ts';
import { writeProgramNote, readProgramVersion } from '../../src/disk/newer-program.ts';
import { parseFile } from '../../src/disk/parse-file.ts';
import { packageVersion } from '../../src/own-file.ts';
import type { EventBody, RunEvent } from '../../src/run/event.ts';
import { fakeIo } from '../cli/fake-io.ts';
import { created, designDone, started } from '../support/run-events.ts';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { scratch, tickingClock } from '../support/scratch.ts';
import { z } from 'zod';

/** A project with one run in mid-execution. */
async function project(): Promise<{ dir: string; run: string }> {
  const dir = await scratch();
  const store = openFileRunStore({ roots: [join(dir, 'scenarios')], clock: tickingClock(), worker: 'w' });
  await mkdir(join(dir, 'scenarios/desk'), { recursive: true });
  const run = await store.create(join(dir, 'scenarios/desk'), 'waits');
  for (const [at, { body, actor }] of [created(), started(), designDone(1)].entries())
    await run.journal.append(body, actor, at);
  return { dir, run: run.dir };
}

async function lastEvent(run: string): Promise<{ path: string; event: RunEvent }> {
  const name = (await readdir(join(run, 'events'))).toSorted().at(-1) ?? '';
  const path = join(run, 'events', name);
  return { path, event: JSON.parse(await readFile(path, 'utf8')) as RunEvent };
}

/** As a later version writes it: the chain is whole, the event is one that is not known here. */
async function eventOfTomorrow(run: string): Promise<void> {
  const { path, event } = await lastEvent(run);
  const body = { ...event.body, tomorrow: true } as unknown as EventBody;
  await writeFile(path, JSON.stringify({ ...event, body, hash: eventHash({ ...event, body }) }));
}

test('each run says which version wrote in it last', async () => {
  const { run } = await project();
  expect(await readProgramVersion(openSharedFiles(run))).toBe(packageVersion());
  await writeFile(join(run, 'program.json'), '{"version":7,"program":"99.10.0","more":1}');
  await writeProgramNote(run);
  expect(await readProgramVersion(openSharedFiles(run))).toBe('99.10.0');
});

test('a run of a newer version is named as that, never as damaged', async () => {
  const { dir, run } = await project();
  await eventOfTomorrow(run);
  await writeFile(join(run, 'program.json'), '{"version":1,"program":"99.3.0"}');
  const io = fakeIo(dir);
  const newer = /made by a newer Tandem \(99\.3\.0\); this is .* update Tandem/;
  await expect(verifyCommand('waits', {}, io)).rejects.toMatchObject({
    code: 'version_mismatch',
    message: expect.stringMatching(newer),
  });
  expect(await statusCommand(undefined, {}, io)).toBe(0);
  expect(await upgradeCheckCommand({}, { io, signal: new AbortController().signal })).toBe(1);
  expect(io.lines.join('\n')).toMatch(newer);
  expect(io.lines.join('\n')).toMatch(/1 wait for a newer Tandem/);
  expect([...io.lines, ...io.errors].join('\n')).not.toMatch(/unreadable|BROKEN|from a copy/);
});

test('without the note, an event whose own hash is right was not damaged either', async () => {
  const { dir, run } = await project();
  await eventOfTomorrow(run);
  await expect(verifyCommand('waits', {}, fakeIo(dir))).rejects.toMatchObject({ code: 'version_mismatch' });
  const { path } = await lastEvent(run);
  await writeFile(path, (await readFile(path, 'utf8')).replace('"tomorrow":true', '"tomorrow":false'));
  const io = fakeIo(dir);
  expect(await verifyCommand('waits', {}, io)).toBe(1);
  expect(io.lines.join('\n')).toContain('from a copy');
});

test('a file of a later format says so', () => {
  const schema = z.strictObject({ version: z.literal(1) });
  expect(() => parseFile(schema, '{"version":2,"a":1}', 'pack.json')).toThrow(/newer Tandem: its format is 2/);
  expect(() => parseFile(schema, '{"version":1,"a":1}', 'pack.json')).toThrow(/from a copy/);
});

test('upgrade-check says what becomes of a run that waits', async () => {
  const { dir, run } = await project();
  await cp(run, join(dir, 'scenarios/desk/runs/cut'), { recursive: true });
  const cut = await lastEvent(join(dir, 'scenarios/desk/runs/cut'));
  await writeFile(cut.path, '{"seq":');
  const io = fakeIo(dir);
  expect(await upgradeCheckCommand({ json: true }, { io, signal: new AbortController().signal })).toBe(1);
  expect(io.json()).toMatchObject({
    runs: expect.arrayContaining([
      expect.objectContaining({ run: 'waits', status: 'awaiting_approval', outcome: 'goes_on_changed' }),
      expect.objectContaining({ run: 'cut', outcome: 'damaged', why: expect.stringContaining('is not whole JSON') }),
    ]),
  });
});
