/** The step `design.rN`: what Init hands in is committed, and the event names its digest; a second try pays nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../../src/app/open-app.ts';
import { sha256 } from '../../../src/disk/sha256.ts';
import type { StepContext } from '../../../src/pipeline/deps.ts';
import { ReviewPack } from '../../../src/gate/rules/review-pack.ts';
import { advance } from '../../../src/pipeline/drive/advance.ts';
import { readBrief } from '../../../src/pipeline/start-run.ts';
import { makeDesign } from '../../../src/pipeline/steps/make-design.ts';
import { readState } from '../../../src/run-folder/snapshot.ts';
import { begin, decide, live, makeProject, type Project } from '../../support/project.ts';

let project: Project;
let app: App;
let step: StepContext;

beforeAll(async () => {
  project = await makeProject();
  app = await project.open();
  const run = await begin(project, app);
  await advance(run.id, app.deps, live);
  step = { run, state: await readState(run), brief: await readBrief(run), deps: app.deps, signal: live };
});
afterAll(async () => {
  await app.close();
  await project.remove();
});

test('commits the design and prepares its gate', async () => {
  const { run } = step;
  const event = await makeDesign(step);
  const committed = await run.artifacts.committed('design/r1', true);
  expect(event).toMatchObject({ type: 'design.done', round: 1, digest: committed?.digest, need: 1 });
  expect(committed?.manifest.files.map(({ path }) => path)).toContain('submission.json');
  expect(await run.read('gates/HITL-1.r1/pack.json')).toContain(committed?.digest);
  expect(await run.list('wip')).toEqual([]);
});

test('made again after a crash before its event, it is the same event and costs nothing', async () => {
  const paid = (await step.run.spending.list()).length;
  const again = await makeDesign(step);
  expect(again).toEqual(await makeDesign(step));
  expect((await step.run.spending.list()).length).toBe(paid);
});

test('two workers at the end of it name the pack that is there, whoever was first', async () => {
  const { run } = step;
  const first = await makeDesign(step);
  // The other one has read the ledger later, so his pack would say another sum.
  await run.spending.reserve({ call: 'late.0001', agent: 'init', model: 'm', worstUsd: 1 }, 100);
  await run.spending.writeOff('late.0001');
  const second = await makeDesign(step);
  const digest = sha256((await run.read('gates/HITL-1.r1/pack.json')) ?? '');
  expect([first, second]).toMatchObject([{ packDigest: digest }, { packDigest: digest }]);
});

test('Init hears what code doubts, may repair it, and what it wrote since must be handed in again', async () => {
  const doubtful = await makeProject();
  await doubtful.edit('scenario.yaml', 'min: 3', 'min: 9');
  const rules = 'simulation/files/design/business_rules.yaml';
  await doubtful.edit(rules, 'A loan is looked at before anything is said', 'No source holds this sentence');
  await doubtful.edit(
    'simulation/init.yaml',
    `      - expects: '"ok":true' # what the newest result must hold; if it does not, the run stops and shows what was there
        say: 'The design is handed in.'`,
    `      - expects: '"reviewer_will_see":["not true: enough samples are planned. 3 samples are planned, the brief asks for 9","not true: quotes are in the sources. what R1 quotes'
        calls: [{ tool: write, input: { file_path: design/r1/business_rules.yaml, content: 'broken: [' } }]
      - say: 'That is all.'
      - expects: 'design/r1 is not handed in: call submit_design'
        calls: [{ tool: write, input: { file_path: design/r1/business_rules.yaml }, content_file: files/design/business_rules.yaml }]
      - calls: [{ tool: submit_design, input: { summary: 'Again.', changes: [], open_questions: [] } }]
      - expects: '"ok":true'
        say: 'The design is handed in.'`,
  );
  const opened = await doubtful.open();
  try {
    const run = await begin(doubtful, opened);
    await advance(run.id, opened.deps, live);
    await advance(run.id, opened.deps, live);
    expect(await readState(run)).toMatchObject({ status: 'awaiting_approval' });
    expect(await run.read('design/r1/business_rules.yaml')).not.toContain('broken');
    expect(await run.read('design/r1/submission.json')).toContain('Again.');
    // The reviewer reads the same, on a page and in a terminal.
    expect(await run.read('gates/HITL-1.r1/pack.json')).toContain('what R1 quotes is in no source word for word');
  } finally {
    await opened.close();
    await doubtful.remove();
  }
});

test('Init hears once which sections of the sources are in no rule, and may still add what is missing', async () => {
  const bare = await makeProject();
  await bare.edit(
    'policies/lending.md',
    'reserved is not renewed.\n',
    'reserved is not renewed.\n## 9. Lost books\nWho loses a book pays for it.\n',
  );
  const again = `      - calls: [{ tool: submit_design, input: { summary: 'Again.', changes: [], open_questions: [] } }]`;
  await bare.edit(
    'simulation/init.yaml',
    `      - expects: '"ok":true' # what the newest result must hold; if it does not, the run stops and shows what was there
        say: 'The design is handed in.'`,
    `      - expects: '9. Lost books'
        calls: [{ tool: write, input: { file_path: design/r1/business_rules.yaml }, content_file: files/design/business_rules.yaml }]
${again}
      - expects: '{"ok":true,"rules":3,"next":"A person decides at HITL-1. End your turn with one sentence."}'
        say: 'The design is handed in.'`,
  );
  const opened = await bare.open();
  try {
    const run = await begin(bare, opened);
    await advance(run.id, opened.deps, live);
    await advance(run.id, opened.deps, live);
    expect(await readState(run)).toMatchObject({ status: 'awaiting_approval' });
    const pack = JSON.parse((await run.read('gates/HITL-1.r1/pack.json')) ?? '{}') as { sources: unknown };
    expect(JSON.stringify(pack.sources)).toContain('{"line":6,"title":"9. Lost books","rules":[]}');
  } finally {
    await opened.close();
    await bare.remove();
  }
});

test('Init hears the sentences of the brief by number, says what became of each, and the gate shows it', async () => {
  const told = await makeProject();
  const submit = (accounts: string) =>
    `calls: [{ tool: submit_design, input: { summary: 'Again.', accounts: [${accounts}] } }]`;
  await told.edit(
    'simulation/init.yaml',
    `      - expects: '"ok":true' # what the newest result must hold; if it does not, the run stops and shows what was there
        say: 'The design is handed in.'`,
    `      - expects: '"sentences_of_the_brief":["1: '
        ${submit("{ of: [1], by: [R9] }, { of: [2], none: left_out, why: 'later' }")}
      - expects: 'the design has no R9'
        ${submit("{ of: [1], by: [R1] }, { of: [2], none: left_out, why: 'later' }")}
      - expects: '"ok":true'
        say: 'The design is handed in.'`,
  );
  const opened = await told.open();
  try {
    const run = await begin(told, opened);
    await advance(run.id, opened.deps, live);
    await advance(run.id, opened.deps, live);
    expect(await readState(run)).toMatchObject({ status: 'awaiting_approval' });
    const { accounts } = ReviewPack.parse(JSON.parse((await run.read('gates/HITL-1.r1/pack.json')) ?? '{}'));
    expect(accounts?.slice(0, 2)).toMatchObject([
      { place: '1', by: ['R1'] },
      { place: '2', by: [], none: 'left_out', why: 'later' },
    ]);
  } finally {
    await opened.close();
    await told.remove();
  }
});

test('after a request for changes Init says what it did about each point, hears once which it left out, and keeps what it said of the brief', async () => {
  const asked = await makeProject();
  const submit = (comments: string) =>
    `calls: [{ tool: submit_design, input: { summary: 'Again.', comments: [${comments}] } }]`;
  await asked.edit(
    'simulation/init.yaml',
    'turns:\n',
    `turns:
  - name: design r2
    marker: '<reviewer_to_init_context round="2"'
    steps:
      - ${submit("{ comment: 1, did: kept, rules: [R1], why: 'The policy says it.' }")}
      - expects: '"comments_without_an_answer":["2: A rule about fees is missing."]'
        ${submit("{ comment: 1, did: kept, rules: [R1], why: 'The policy says it.' }, { comment: 2, did: added, rules: [R9], why: 'x' }")}
      - expects: 'is not accounted for'
        say: 'The design is handed in.'
`,
  );
  await asked.edit(
    'simulation/init.yaml',
    `      - expects: '"ok":true' # what the newest result must hold; if it does not, the run stops and shows what was there
        say: 'The design is handed in.'`,
    `      - expects: '"sentences_of_the_brief"'
        calls: [{ tool: submit_design, input: { summary: 'Again.', accounts: [{ of: [1], by: [R1] }] } }]
      - expects: 'is not accounted for'
        say: 'The design is handed in.'`,
  );
  const opened = await asked.open();
  try {
    const run = await begin(asked, opened);
    await advance(run.id, opened.deps, live);
    await advance(run.id, opened.deps, live);
    const comment = 'R1: is that so?\n\nA rule about fees is missing.';
    await decide(opened, await readState(run), 'request_changes', { comment });
    await advance(run.id, opened.deps, live);
    expect(await readState(run)).toMatchObject({ status: 'awaiting_approval', round: 2 });
    const pack = JSON.parse((await run.read('gates/HITL-1.r2/pack.json')) ?? '{}') as {
      comments: unknown;
      accounts: unknown[];
    };
    expect(pack.accounts[0]).toMatchObject({ place: '1', by: ['R1'] });
    expect(pack.comments).toMatchObject([
      { addressed: true, kept: true, detail: 'Init kept R1 as it was: The policy says it.' },
      { addressed: false, detail: 'Init says that it added R9, which is not so for R9: x' },
    ]);
  } finally {
    await opened.close();
    await asked.remove();
  }
});
