// One whole process of our side: N samples through the evaluation, the subject waits 50 ms and answers.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const [samples, trials, concurrency, kilobytes] = process.argv.slice(2).map(Number);
// A build elsewhere can be named, so that one bench run does not depend on who builds what here.
const root = process.env.TANDEM_DIST ?? new URL('../../dist', import.meta.url).pathname;
const built = existsSync(join(root, 'index.js'));
const load = (path) => import(built ? join(root, `${path}.js`) : new URL(`../../src/${path}.ts`, import.meta.url).href);
const { openSandbox } = await load('adapters/sandbox/open-sandbox');
const { loadComponents } = await load('evaluation/load-components');
const { evaluate } = await load('evaluation/evaluate');
const { Brief } = await load('scenario/brief');
const { FormatSpec, BusinessRules } = await load('scenario/design');

const started = performance.now();
const dir = mkdtempSync(join(tmpdir(), 'tandem-bench-'));
const usage = { input_tokens: 10, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const filler = 'x'.repeat(kilobytes * 1024);

function write(path, content) {
  mkdirSync(join(dir, path, '..'), { recursive: true });
  writeFileSync(join(dir, path), typeof content === 'string' ? content : JSON.stringify(content));
}

try {
  write(
    'tools/look.mjs',
    `export const tool = { name: 'look', description: 'Looks.', input_schema: { type: 'object' }, examples: [{ input: {}, world: {} }] };\nexport function run() { return {}; }\n`,
  );
  write(
    'checkers/answers.mjs',
    `export const checker = { id: 'answers', description: 'It answers.', rules: ['R1'] };\nexport function check({ final }) { return { pass: final.includes('yes'), reason: 'looked for yes', evidence: [] }; }\n`,
  );
  for (let index = 0; index < samples; index += 1) {
    write(`samples/s${index}.json`, {
      id: `s${index}`,
      title: 'A question',
      category: 'questions',
      covers: ['R1'],
      start: { world: {} },
      user: { says_first: `Question ${index}?` },
      expect: { end_state: 'unchanged', must_say: [{ any: ['yes'] }] },
      gold: [],
      gold_says: 'yes',
      wrong: [],
      wrong_says: 'no',
      checkers: ['answers'],
    });
  }
  const { signal } = new AbortController();
  const sandbox = await openSandbox({ allowUnsandboxed: true });
  const { components, problems } = await loadComponents(dir, sandbox, signal);
  if (problems.length > 0) throw new Error(problems[0].message);
  const format = FormatSpec.parse({
    version: 1,
    world: { type: 'object' },
    tools: [{ name: 'look', purpose: 'Looks.', changes_world: false }],
    categories: [{ id: 'questions', title: 'Questions', samples }],
    subject_prompt: 'Answer.',
  });
  const rules = BusinessRules.parse({
    version: 1,
    rules: [{ id: 'R1', title: 'Answers', text: 'It answers.', severity: 'must' }],
  });
  const brief = Brief.parse({
    version: 1,
    name: 'bench',
    title: 'Bench',
    reads: ['brief.md'],
    trials,
    samples: { min: 1, categories: ['questions'] },
    subject: { model: 'waits' },
  });
  const model = {
    call: async () => {
      await wait(50);
      return {
        id: 'm',
        model: 'waits',
        content: [{ type: 'text', text: `yes ${filler}` }],
        stopReason: 'end_turn',
        usage,
      };
    },
  };
  const results = await evaluate({
    dir,
    design: { round: 1, digest: 'd', narrative: '', rules, format },
    brief,
    components,
    verification: { ok: true, problems: [], proofs: [], coverage: {} },
    iteration: 1,
    round: 1,
    modelFor: () => model,
    maxTokens: 100,
    price: { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 },
    sandbox,
    concurrency,
    simulated: true,
    componentsDigest: 'c',
    onSample: () => undefined,
    now: () => performance.now(),
    signal,
  });
  const done = results.samples.reduce((sum, sample) => sum + sample.trials.length, 0);
  if (results.passed !== samples || done !== samples * trials)
    throw new Error(`${results.passed} of ${results.total} passed`);
  console.log(
    JSON.stringify({
      sandbox: sandbox.kind,
      built,
      insideMs: Math.round(performance.now() - started),
      ownMiB: Math.round(process.resourceUsage().maxRSS / 1024),
    }),
  );
} finally {
  rmSync(dir, { recursive: true, force: true });
}
