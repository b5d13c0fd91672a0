/** A scenario of any size, made from the shipped template: so many rounds, iterations in each, and samples. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

export type ChaosSize = { rounds: number; iterations: number; samples: number };
type Fault = { at: number; kind: string };

const NAME = 'chaos-desk';
const TEMPLATE = resolve('templates/scenario');
/** Tool calls in one answer of the scripted model. */
const CALLS = 10;

/** Written into `<project>/scenarios/chaos-desk`; every iteration but the last fails in the same way. */
export async function makeChaosScenario(
  project: string,
  size: ChaosSize,
  faults: readonly Fault[] = [],
): Promise<string> {
  const dir = join(project, 'scenarios', NAME);
  await cp(TEMPLATE, dir, { recursive: true });
  const files = join(dir, 'simulation/files');
  const ids = sampleIds(size.samples);
  const worlds = JSON.parse(await readFile(join(files, 'samples/worlds/base.json'), 'utf8')) as { loans: object };
  const loans = Object.fromEntries(
    ids.map((id) => [loanOf(id), { item: `Book ${id}`, days_left: 3, renewals: 0, reserved: false }]),
  );
  await put(files, 'samples/worlds/base.json', { loans: { ...worlds.loans, ...loans } });
  const once = await readFile(join(files, 'samples/renew-once.json'), 'utf8');
  for (const id of ids) {
    const sample = once
      .replaceAll('renew-once', id)
      .replaceAll('L-101', loanOf(id))
      .replaceAll('l-101', loanOf(id).toLowerCase());
    await writeFile(join(files, `samples/${id}.json`), sample);
  }
  await writeFile(join(dir, 'scenario.yaml'), briefText(size));
  await put(dir, 'simulation/init.yaml', {
    version: 1,
    who: 'init',
    match: matchOf('init'),
    turns: initTurns(size),
    faults,
  });
  await put(dir, 'simulation/execute.yaml', {
    version: 1,
    who: 'execute',
    match: matchOf('execute'),
    turns: executeTurns(size, ids),
  });
  await put(dir, 'simulation/subject.yaml', {
    version: 1,
    who: 'subject',
    match: matchOf('subject'),
    turns: subjectTurns(ids),
  });
  return NAME;
}

/** Two samples are the template's own: one reserved item, one that was renewed twice. */
function sampleIds(samples: number): string[] {
  return Array.from({ length: samples - 2 }, (_, index) => `renew-n${String(index + 1).padStart(3, '0')}`);
}

const loanOf = (sample: string): string => sample.replace('renew-n', 'N-');

/** YAML reads JSON. */
async function put(dir: string, path: string, value: unknown): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, path), `${JSON.stringify(value, null, 1)}\n`);
}

function briefText({ rounds, iterations, samples }: ChaosSize): string {
  return JSON.stringify({
    version: 1,
    name: NAME,
    title: 'A desk for bad weather',
    reads: ['brief.md', 'policies/lending.md'],
    target: 0.85,
    max_iterations: rounds * iterations,
    max_rounds: rounds,
    patience: rounds * iterations,
    samples: { min: samples, categories: ['renewals'] },
    subject: { model: 'claude-haiku-5-5', max_steps: 8, seconds: 600, max_tokens: 1024 },
    budget_usd: 1000,
  });
}

function matchOf(who: 'init' | 'execute' | 'subject'): { system_includes: string } {
  const texts = {
    init: 'You are Init, the design agent of Tandem',
    execute: 'You are Execute, the building agent of Tandem',
    subject: 'You work at the desk of a small library',
  };
  return { system_includes: texts[who] };
}

const call = (tool: string, input: object, content_file?: string) =>
  content_file === undefined ? { tool, input } : { tool, input, content_file };
const readOf = (path: string) => call('read', { file_path: path });

function initTurns({ rounds }: ChaosSize): object[] {
  const submitted = { expects: '"ok":true', say: 'The design is handed in.' };
  return Array.from({ length: rounds }, (_, index) => {
    const round = index + 1;
    const design = `design/r${round}`;
    const submit = { calls: [call('submit_design', { summary: `Round ${round}.`, changes: [], open_questions: [] })] };
    if (round === 1) {
      const names = ['unified_scenario_design.md', 'business_rules.yaml', 'format_spec.yaml'];
      const writes = names.map((name) => call('write', { file_path: `${design}/${name}` }, `files/design/${name}`));
      return {
        name: 'r1',
        marker: '<scenario_brief round="1"',
        steps: [{ calls: [readOf('scenario/brief.md')] }, { calls: writes }, submit, submitted],
      };
    }
    const path = `${design}/unified_scenario_design.md`;
    const edit = call('edit', {
      file_path: path,
      old_string: '# A library desk that renews loans',
      new_string: `# A library desk that renews loans\n\nSeen again in round ${round}.`,
    });
    return {
      name: `r${round}`,
      marker: `<execute_to_init_context round="${round}"`,
      steps: [{ calls: [readOf(path)] }, { calls: [edit] }, submit, submitted],
    };
  });
}

function executeTurns({ rounds, iterations }: ChaosSize, ids: readonly string[]): object[] {
  const all = rounds * iterations;
  return Array.from({ length: all }, (_, index) => {
    const n = index + 1;
    const round = Math.ceil(n / iterations);
    const isFirst = (n - 1) % iterations === 0;
    const endsRound = n % iterations === 0;
    return {
      name: `i${n}`,
      marker: `<${isFirst ? 'init_to_execute_context' : 'iteration_context'} round="${round}" iteration="${n}"`,
      steps: [
        ...(n === 1
          ? buildSteps(ids)
          : [{ calls: [readOf(`execution_outputs/iteration_${n - 1}/traces/${ids[0]}.1.jsonl`)] }]),
        ...(n === all ? [{ calls: [fixOf(n)] }] : []),
        { calls: [call('submit_iteration', { note: `Iteration ${n}.` })] },
        ...(endsRound && n < all ? [{ expects: '"ok":true', calls: [returnOf(round, ids)] }] : []),
        { say: `Iteration ${n} is done.` },
      ],
    };
  });
}

function buildSteps(ids: readonly string[]): object[] {
  const out = 'execution_outputs/iteration_1';
  const files = [
    'samples/worlds/base.json',
    'tools/find_loan.mjs',
    'tools/renew_loan.mjs',
    'checkers/loan-read-first.mjs',
    'checkers/renewed-as-allowed.mjs',
    'samples/renew-reserved.json',
    'samples/renew-third-time.json',
    ...ids.map((id) => `samples/${id}.json`),
  ];
  const writes = files.map((file) => call('write', { file_path: `${out}/${file}` }, `files/${file}`));
  return Array.from({ length: Math.ceil(writes.length / CALLS) }, (_, index) => ({
    calls: writes.slice(index * CALLS, (index + 1) * CALLS),
  }));
}

function fixOf(iteration: number): object {
  return call('edit', {
    file_path: `execution_outputs/iteration_${iteration}/tools/find_loan.mjs`,
    old_string: 'const loan = world.loans[input.loan_id.trim()];',
    new_string:
      "const loan = world.loans[input.loan_id.trim().toUpperCase()];\n  if (loan === undefined) return { ok: false, error: 'there is no such loan' };",
  });
}

function returnOf(round: number, ids: readonly string[]): object {
  const problem = {
    title: `Doubt ${round}`,
    rules: ['R1'],
    samples: [ids[0]],
    claim: 'R1 does not say in which case a number is read.',
  };
  return call('return_to_init', { summary: `Round ${round} cannot be built.`, problems: [problem] });
}

function subjectTurns(ids: readonly string[]): object[] {
  const renewed = ids.map((id) => {
    const loan = loanOf(id);
    return {
      name: id,
      marker: `Could you renew ${loan.toLowerCase()} for me?`,
      steps: [
        { calls: [call('find_loan', { loan_id: loan.toLowerCase() })] },
        { calls: [call('renew_loan', { loan_id: loan })] },
        { say: 'Done: you have fourteen days more.' },
      ],
    };
  });
  const refusal = (name: string, marker: string, loan: string, why: string, first: object[] = []) => ({
    name,
    marker,
    steps: [...first, { calls: [call('find_loan', { loan_id: loan })] }, { say: why }],
  });
  return [
    ...renewed,
    refusal(
      'renew-reserved',
      'I need my book for longer.',
      'L-102',
      'I am sorry, somebody else has reserved it, so it cannot be renewed.',
      [{ say: 'Gladly. What is the loan number?' }],
    ),
    refusal(
      'renew-third-time',
      'Please renew L-103 once more.',
      'L-103',
      'I am sorry, it was renewed twice already and has to come back now.',
    ),
  ];
}
