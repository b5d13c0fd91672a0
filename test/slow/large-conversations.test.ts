/** Conversations of many megabytes reach checkers whole and once; what is over the limit is unscored and says so. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openQuickjs } from '../../src/adapters/quickjs/open-quickjs.ts';
import { openBubblewrap, openNodePermission } from '../../src/adapters/sandbox/open-sandbox.ts';
import { withEvents, type TrialEvent } from '../../src/evaluation/components/trial-record.ts';
import { judgeRun } from '../../src/evaluation/judge/judge-run.ts';
import { Sample } from '../../src/scenario/sample.ts';
import { lampsProject } from '../cli/evaluate/lamps-project.ts';
import { lastJson, makeProject, tandem } from '../support/cli.ts';
import { scratch } from '../support/scratch.ts';

const { signal } = new AbortController();

/** Both places of an answer are whole, and a change of one leaves the other alone. */
const CHECKER = `export const checker = { id: 'c', description: 'd', rules: ['R1'] };
export function check({ trace }) {
  const size = (output) => (typeof output === 'string' ? output.length : JSON.stringify(output).length);
  const calls = trace.calls.reduce((sum, { output }) => sum + size(output), 0);
  for (const call of trace.calls) call.output = null;
  const events = trace.events.reduce((sum, event) => sum + (event.type === 'call' ? size(event.output) : 0), 0);
  return { pass: calls === events, reason: String(calls), evidence: [] };
}`;
const PYTHON = `checker = {"id": "c", "description": "d", "rules": ["R1"]}
def check(given):
    import json
    size = lambda output: len(output) if type(output) is str else len(json.dumps(output, separators=(",", ":")))
    calls = sum(size(call["output"]) for call in given["trace"]["calls"])
    for call in given["trace"]["calls"]:
        if type(call["output"]) is dict: call["output"].clear()
    events = sum(size(event["output"]) for event in given["trace"]["events"] if event["type"] == "call")
    return {"pass": calls == events, "reason": str(calls), "evidence": []}
`;

function playLookUps(count: number, makeOutput: (index: number) => unknown) {
  const events: TrialEvent[] = [
    { type: 'user', step: 0, text: 'Look all of it up.' },
    ...Array.from({ length: count }, (_, index): TrialEvent => {
      const call = { step: index + 1, tool: 'look_up', input: { index }, is_error: false, change: [] };
      return { type: 'call', ...call, output: makeOutput(index) };
    }),
    { type: 'says', step: count + 1, text: 'Done.' },
  ];
  return withEvents({ before: {}, after: {}, stop: 'done' }, events);
}

async function judge(played: ReturnType<typeof playLookUps>, kind: keyof typeof SANDBOXES) {
  const dir = await scratch();
  await mkdir(join(dir, 'checkers'));
  const file = kind === 'python' ? 'c.py' : 'c.mjs';
  await writeFile(join(dir, 'checkers', file), kind === 'python' ? PYTHON : CHECKER);
  const session = await (await SANDBOXES[kind]()).open(dir);
  onTestFinished(() => session.close());
  const sample = Sample.parse({
    ...{ id: 'all', title: 'all', category: 'c', covers: ['R1'], start: { world: {} } },
    user: { says_first: 'Look all of it up.', knows: {}, does_not_know: [] },
    ...{
      expect: { end_state: 'unchanged', must_say: [], must_not_call: [] },
      gold: [],
      gold_says: 'Done.',
      wrong: [],
      wrong_says: 'No.',
      checkers: ['c'],
    },
  });
  const stage = { session, paths: new Map([['checkers/c', `checkers/${file}`]]), tools: new Map() };
  return judgeRun({ sample, played, lines: [] }, stage as never, signal);
}

const SANDBOXES = {
  quickjs: async () => openQuickjs(),
  node: () => openNodePermission(),
  bubblewrap: () => openBubblewrap(),
  python: () => openBubblewrap(),
};

const rows = (index: number) =>
  Array.from({ length: 3000 }, (_, row) => ({ id: `${index}-${row}`, text: 'x'.repeat(70) }));
const KINDS = ['quickjs', 'node', 'bubblewrap', 'python'] as const;

test.each(KINDS)('a conversation of 20 MB is judged by a checker in %s, with answers that are texts', async (kind) => {
  const played = playLookUps(67, (index) => `${index}`.padEnd(300_000, 'x'));
  expect(await judge(played, kind)).toMatchObject({ outcome: 'pass', verdicts: [{}, { reason: '20100000' }] });
});

test.each(KINDS)('a conversation of 20 MB is judged by a checker in %s, with answers that are values', async (kind) => {
  const played = playLookUps(67, rows);
  expect(await judge(played, kind)).toMatchObject({ outcome: 'pass' });
});

test('a conversation over the limit is unscored with a reason that names the limit, and no checker is called broken', async () => {
  const judged = await judge(
    playLookUps(90, (index) => `${index}`.padEnd(300_000, 'x')),
    'quickjs',
  );
  expect(judged).toMatchObject({
    outcome: 'unscored',
    verdicts: [],
    detail: expect.stringContaining('at most 25165824'),
  });
});

/** Looks up things whose answers have nearly 4 MB each, until the conversation is over the limit. */
const greedyAgent = (tool: string, key: string) => `let left = 7;
const look = () => ({ id: 'c', tool: '${tool}', args: { ${key}: 'NO-' + left } });
let rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    if (line.startsWith('{"type":"open"')) left = 7;
    else console.log(JSON.stringify(left-- > 0 ? { calls: [look()] } : { say: 'Done.', done: true }));
  }
});
`;
const COMMAND = { kind: 'command', command: ['node', 'greedy.mjs'] };
const LIMIT = /at most 25165824 are sent to a component/;

test('evaluate says which limit left a sample without a verdict', async () => {
  const { io, dir, evaluate } = await lampsProject({
    brief: { subject: COMMAND },
    files: {
      'tools/read_lamp.mjs': `export const tool = {
  name: 'read_lamp',
  description: 'Reads a lamp.',
  input_schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
  examples: [{ input: { id: 'hall' }, world: { lamps: { hall: { on: false } } } }],
};
export const run = ({ id }, world) => world.lamps[id] ?? { error: (id + ' is no lamp ').repeat(240_000) };
`,
    },
  });
  await writeFile(join(dir, 'greedy.mjs'), greedyAgent('read_lamp', 'id'));
  expect(await evaluate({ json: true })).toBe(6);
  expect(io.json()).toMatchObject({ passed: 0, total: 0, unscored: 2, verdict: 'incomplete' });
  expect(await readFile(join(dir, 'evaluations/1/report.md'), 'utf8')).toMatch(LIMIT);
});

test('run pauses and says which limit left its samples without a verdict', async () => {
  const project = await makeProject();
  await tandem(project, ['init', 'desk']);
  const edit = async (file: string, from: string | RegExp, to: string) => {
    const path = join(project, 'scenarios/desk', file);
    const text = await readFile(path, 'utf8');
    expect(text).toMatch(from);
    await writeFile(path, text.replace(from, to));
  };
  await edit('scenario.yaml', /^subject: .*$/m, `subject: ${JSON.stringify(COMMAND)}`);
  const guard = `  if (input.loan_id.startsWith('NO-')) return { ok: false, error: (input.loan_id + ' is none ').repeat(280_000) };
  const loan`;
  await edit('simulation/files/tools/find_loan.mjs', '  const loan', guard);
  await writeFile(join(project, 'scenarios/desk/greedy.mjs'), greedyAgent('find_loan', 'loan_id'));
  const done = await tandem(project, ['run', 'desk', '--id', 'large', '--on-gate', 'auto:demo', '--json']);
  expect([done.code, lastJson(done)['status']], done.stderr).toEqual([6, 'paused']);
  expect(done.stderr).toMatch(LIMIT);
});
