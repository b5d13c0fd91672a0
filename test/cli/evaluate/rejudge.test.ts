import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { designFor } from '../../../src/cli/evaluate/read-iteration.ts';
import { rejudgeCommand } from '../../../src/cli/evaluate/rejudge.ts';
import { evaluateLamps } from '../../evaluation/evaluate-lamps.ts';
import { lampsDesign, lampsFolder } from '../../evaluation/lamps.ts';
import { tau1Row, tau2Row } from '../../interop/rows.ts';
import { FIXTURES, runFiles } from '../../support/recordings.ts';
import { scratch } from '../../support/scratch.ts';
import { fakeIo } from '../fake-io.ts';

const { signal } = new AbortController();
const lines = (...rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n');

test('--json: one last line with total, agreed and the sets, plain or gzipped', async () => {
  const io = fakeIo(await scratch());
  await writeFile(
    join(io.cwd, 'a.jsonl'),
    lines(tau1Row(), tau1Row({ trial: 1, final_db_diff: [], recorded: { reward: 0, pass: 0 } })),
  );
  await writeFile(join(io.cwd, 'b.jsonl.gz'), gzipSync(lines(tau2Row())));
  expect(await rejudgeCommand(['a.jsonl', 'b.jsonl.gz'], { json: true }, { io, signal })).toBe(0);
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
  expect(await rejudgeCommand(['a.jsonl'], {}, { io, signal })).toBe(1);
  expect(io.lines[0]).toBe('a.jsonl: 1 of 3 agree  pass^1 0.5000  pass^2 0.0000');
  expect(io.lines.some((line) => line.includes('not judged (other-design) a.jsonl:3'))).toBe(true);
  expect(io.lines.some((line) => line.includes('disagrees a.jsonl:2: recorded 1, judged 0: /lamps/L1/on'))).toBe(true);
});

test('text of a recording cannot draw on the terminal', async () => {
  const io = fakeIo(await scratch());
  await writeFile(join(io.cwd, 'a.jsonl'), lines(tau1Row({ must_communicate: ['\u001b[2Jgone'] })));
  await rejudgeCommand(['a.jsonl'], {}, { io, signal });
  expect(io.lines.join('')).not.toContain('\u001b');
});

test('recorded files of both benchmarks, rows and whole results: 80 of 80', async () => {
  const io = fakeIo(resolve('.'));
  const names = runFiles(FIXTURES).map((name) => `${FIXTURES}/${name}`);
  expect(await rejudgeCommand(names, { json: true }, { io, signal })).toBe(0);
  expect(io.json()).toMatchObject({ total: 80, agreed: 80 });
});

/** The lamps with their design beside them, evaluated; `digest` is what the results say they were recorded under. */
async function evaluatedLamps(digest?: string): Promise<string> {
  const dir = await lampsFolder();
  const { narrative: _none, rules, format } = lampsDesign();
  await mkdir(join(dir, 'design'));
  await writeFile(join(dir, 'design/unified_scenario_design.md'), 'Lamps can be switched. '.repeat(20));
  await writeFile(join(dir, 'design/business_rules.yaml'), JSON.stringify(rules));
  await writeFile(join(dir, 'design/format_spec.yaml'), JSON.stringify(format));
  const own = await designFor(dir, undefined);
  await evaluateLamps({ dir, design: { ...own, digest: digest ?? own.digest } });
  return dir;
}

test('our own traces: the folder of an iteration, one gzipped trace, and JSON of the same shape', async () => {
  const dir = await evaluatedLamps();
  const io = fakeIo(dir);
  expect(await rejudgeCommand(['.'], {}, { io, signal })).toBe(0);
  expect(io.lines[0]).toBe('.: 2 of 2 agree  2 pass, 0 do not  pass^1 1.0000');
  expect(io.lines[1]).toMatch(/^ {2}judged under design \w{12}, which it was recorded under$/);
  const loose = join(await scratch(), 'turn-on.1.jsonl.gz');
  await writeFile(loose, gzipSync(await readFile(join(dir, 'traces/turn-on.1.jsonl'))));
  expect(await rejudgeCommand([loose], { scenario: dir, json: true }, { io, signal })).toBe(0);
  expect(io.json()).toMatchObject({
    total: 1,
    agreed: 0,
    sets: [{ file: loose, n: 1, agreed: 0, passK: [1], unrecorded: 1, refused: [], design: { recorded: null } }],
  });
});

test('a recording of another design is refused by name, and judged only when that is asked for', async () => {
  const io = fakeIo(await evaluatedLamps('e'.repeat(64)));
  await expect(rejudgeCommand(['.'], {}, { io, signal })).rejects.toMatchObject({
    code: 'version_mismatch',
    message: expect.stringMatching(/recorded under design e{12}, and .* belongs to design \w{12}: nothing was judged/),
  });
  expect(await rejudgeCommand(['.'], { otherDesign: true }, { io, signal })).toBe(0);
  expect(io.lines[1]).toContain('recorded under eeeeeeeeeeee');
});

test('an outcome that comes out otherwise is exit code 1; what holds no traces or no components is a usage error', async () => {
  const io = fakeIo(await evaluatedLamps());
  const results = (await readFile(join(io.cwd, 'results.json'), 'utf8')).replace(
    '"outcome": "pass"',
    '"outcome": "fail"',
  );
  const flipped = results.replaceAll(/("trial": 1,\s+"outcome": )"pass"/g, '$1"fail"');
  await writeFile(join(io.cwd, 'results.json'), flipped);
  expect(await rejudgeCommand(['.'], {}, { io, signal })).toBe(1);
  expect(io.lines).toContain('  disagrees traces/turn-on.1.jsonl: recorded fail, judged pass');
  await expect(rejudgeCommand(['design'], {}, { io, signal })).rejects.toMatchObject({ code: 'usage' });
  const bare = join(await scratch(), 'turn-on.1.jsonl');
  await writeFile(bare, await readFile(join(io.cwd, 'traces/turn-on.1.jsonl')));
  await expect(rejudgeCommand([bare], {}, { io, signal })).rejects.toThrow('--scenario <dir>');
  await expect(rejudgeCommand(['gone.jsonl'], {}, { io, signal })).rejects.toMatchObject({ code: 'not_found' });
});
