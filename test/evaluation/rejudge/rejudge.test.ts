import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { loadComponents } from '../../../src/evaluation/components/load-components.ts';
import { rejudgeOwn, type RecordedTrace } from '../../../src/evaluation/rejudge/rejudge.ts';
import type { TraceLine } from '../../../src/scenario/trace.ts';
import { evaluateLamps } from '../evaluate-lamps.ts';
import { lampsFolder, lockedLamp, trustedSandbox, turnOn } from '../lamps.ts';

const { signal } = new AbortController();
let text: string;
let dir: string;

beforeEach(async () => {
  ({ dir } = await evaluateLamps());
  text = await readFile(join(dir, 'traces/turn-on.1.jsonl'), 'utf8');
});

async function judge(traces: RecordedTrace[], by = dir) {
  const { components } = await loadComponents(by, trustedSandbox(), signal);
  return rejudgeOwn(traces, { components, session: await trustedSandbox().open(by) }, signal);
}

/** The trace with one of its lines changed. */
const edited = (change: (line: TraceLine) => object) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.stringify(change(JSON.parse(line) as TraceLine)))
    .join('\n');

const trace = (changed: string, more: Partial<RecordedTrace> = {}) => [
  { at: 'a', text: changed, name: 'turn-on.1', recorded: 'pass' as const, ...more },
];

test('a trace is judged by the checkers as they are now, no tool is called, and a newer verdict is no agreement', async () => {
  const same = await judge(trace(text));
  expect(same).toMatchObject({ refused: [], passK: [1], rows: [{ outcome: 'pass', agrees: true }] });
  const stricter = `
export const checker = { id: 'as-asked', description: 'R1', rules: ['R1'] };
export const check = () => ({ pass: false, reason: 'never', evidence: [] });`;
  const broken = 'export const tool = {}; export function run() { throw new Error("called"); }';
  const newer = await lampsFolder({ 'checkers/as-asked.mjs': stricter });
  expect((await judge(trace(text), newer)).rows).toMatchObject([{ outcome: 'fail', recorded: 'pass', agrees: false }]);
  // What fails where the user had no move stays unscored, as it was in the run.
  const silent = edited((line) => (line.type === 'end' ? { ...line, stop: 'no_move' } : line));
  expect((await judge(trace(silent), newer)).rows).toMatchObject([{ outcome: 'unscored' }]);
  const withoutTool = await lampsFolder({ 'tools/read_lamp.mjs': broken });
  expect((await judge(trace(text), withoutTool)).rows).toMatchObject([{ outcome: 'pass' }]);
});

test('without a recorded outcome there is nothing to agree with; an unreachable model stays unscored', async () => {
  const [row] = (await judge(trace(text, { recorded: undefined }))).rows;
  expect(row).toMatchObject({ outcome: 'pass', agrees: undefined });
  const lost = edited((line) => (line.type === 'end' ? { ...line, stop: 'infrastructure' } : line));
  const set = await judge(trace(lost, { recorded: 'unscored' }));
  expect(set).toMatchObject({ rows: [{ outcome: 'unscored', agrees: true, verdicts: [] }], passK: [] });
});

test('a wrong sample id is named and never judged', async () => {
  const named = (sample: string) => edited((line) => (line.type === 'start' ? { ...line, sample } : line));
  const refusalOf = async (changed: string, name?: string) =>
    (await judge([{ at: 'a', text: changed, ...(name === undefined ? {} : { name }) }])).refused[0];
  expect(await refusalOf(named('turn-onn'))).toMatchObject({
    code: 'unknown-sample',
    message: 'there is no sample "turn-onn" among the 2 here; did you mean "turn-on"?',
  });
  expect(await refusalOf(named('locked-lamp'))).toMatchObject({
    code: 'other-sample',
    message: 'it says sample "locked-lamp", and begins as sample "turn-on" does',
  });
  expect(await refusalOf(text, 'locked-lamp.1')).toMatchObject({ code: 'other-sample' });
  expect(await refusalOf(text, 'turn-on.2')).toMatchObject({ code: 'other-sample' });
});

test('another version of the sample or of the tools is named and never judged', async () => {
  const patch = [{ op: 'add', path: '/lamps/hall/dim', value: 1 }];
  const cases: [Record<string, unknown>, string][] = [
    [{ 'samples/turn-on.json': { ...turnOn, start: { ...turnOn.start, patch } } }, 'its start world is another'],
    [{ 'samples/turn-on.json': { ...turnOn, user: { says_first: 'Hi.' } } }, 'first words of its user'],
    [{ 'tools/switch_lamp.mjs': undefined }, 'calls the tool "switch_lamp", which is not among the tools'],
  ];
  for (const [files, says] of cases) {
    const { refused, rows } = await judge(
      trace(text),
      await lampsFolder({ 'samples/locked-lamp.json': lockedLamp, ...files }),
    );
    expect(rows).toEqual([]);
    expect(refused).toMatchObject([{ code: 'other-design', message: expect.stringContaining(says) }]);
  }
});

test.each<[string, (line: TraceLine) => object, string]>([
  ['an edited end', (line) => (line.type === 'end' ? { ...line, change: [] } : line), 'do not lead to the world'],
  [
    'a call left out of the count',
    (line) => (line.type === 'end' ? { ...line, calls: 0 } : line),
    'its end speaks of 0',
  ],
  ['no end', (line) => (line.type === 'end' ? { type: 'says', step: 9, text: 'x' } : line), 'has no end'],
  ['a foreign line', (line) => (line.type === 'says' ? { type: 'sings' } : line), 'a:4 is no line of a trace'],
  [
    'a change that does not apply',
    (line) => (line.type === 'call' ? { ...line, change: [{ op: 'remove', path: '/lamps/attic' }] } : line),
    'the change of step 1 (switch_lamp) does not apply',
  ],
])('%s is unreadable, and the other traces are judged', async (_title, change, says) => {
  const set = await judge([...trace(edited(change)), ...trace(text)]);
  expect(set.refused).toMatchObject([{ code: 'unreadable', message: expect.stringContaining(says) }]);
  expect(set.rows).toHaveLength(1);
});
