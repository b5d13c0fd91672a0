import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { rejudgeCommand } from '../../src/commands/rejudge.ts';
import { FOLDER, onRecordings, recordedFiles, tau1Row, tau2Row } from '../evaluation/recorded/rows.ts';
import { scratch } from '../support/scratch.ts';
import { fakeIo } from './fake-io.ts';

const lines = (...rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n');

test('--json: one last line with total, agreed and the sets, plain or gzipped', async () => {
  const io = fakeIo(await scratch());
  await writeFile(
    join(io.cwd, 'a.jsonl'),
    lines(tau1Row(), tau1Row({ trial: 1, final_db_diff: [], recorded: { reward: 0, pass: 0 } })),
  );
  await writeFile(join(io.cwd, 'b.jsonl.gz'), gzipSync(lines(tau2Row())));
  expect(await rejudgeCommand(['a.jsonl', 'b.jsonl.gz'], { json: true }, io)).toBe(0);
  expect(io.json()).toMatchObject({
    total: 3,
    agreed: 3,
    sets: [
      { file: 'a.jsonl', n: 2, agreed: 2, passK: [0.5, 0], refused: [], layers: { '4': 1 } },
      { file: 'b.jsonl.gz', n: 1, agreed: 1, passK: [1] },
    ],
  });
});

test('a row that disagrees or is refused makes exit code 1 and is named', async () => {
  const io = fakeIo(await scratch());
  const other = tau1Row({ trial: 2, gold_actions: [] });
  await writeFile(join(io.cwd, 'a.jsonl'), lines(tau1Row(), tau1Row({ trial: 1, final_db_diff: [] }), other));
  expect(await rejudgeCommand(['a.jsonl'], {}, io)).toBe(1);
  expect(io.lines[0]).toBe('a.jsonl: 1 of 3 agree  pass^1 0.5000  pass^2 0.0000');
  expect(io.lines.some((line) => line.includes('not judged (other-design) a.jsonl:3'))).toBe(true);
  expect(io.lines.some((line) => line.includes('disagrees a.jsonl:2: recorded 1, judged 0: /lamps/L1/on'))).toBe(true);
});

test('--tasks holds the rows against the tasks that they name', async () => {
  const io = fakeIo(await scratch());
  const task = {
    id: '0',
    evaluation_criteria: { ...(tau2Row()['evaluation_criteria'] as object), communicate_info: ['7'] },
  };
  await writeFile(join(io.cwd, 'tasks.json'), JSON.stringify([task]));
  await writeFile(join(io.cwd, 'rows.jsonl'), lines(tau2Row()));
  expect(await rejudgeCommand(['rows.jsonl'], { tasks: 'tasks.json', json: true }, io)).toBe(1);
  expect(io.json()).toMatchObject({ total: 1, agreed: 0, sets: [{ refused: [{ code: 'other-design' }] }] });
});

test('text of a recording cannot draw on the terminal', async () => {
  const io = fakeIo(await scratch());
  await writeFile(join(io.cwd, 'a.jsonl'), lines(tau1Row({ must_communicate: ['\u001b[2Jgone'] })));
  await rejudgeCommand(['a.jsonl'], {}, io);
  expect(io.lines.join('')).not.toContain('\u001b');
});

onRecordings('all recorded sets: 455 of 455', async () => {
  const io = fakeIo(resolve('.'));
  expect(
    await rejudgeCommand(
      recordedFiles().map((name) => `${FOLDER}/${name}`),
      { json: true },
      io,
    ),
  ).toBe(0);
  expect(io.json()).toMatchObject({ total: 455, agreed: 455 });
});
