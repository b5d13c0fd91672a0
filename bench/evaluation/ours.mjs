// One whole process of our side: the samples of a folder through the evaluation, the subject waits 50 ms and answers.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const [dir, ...numbers] = process.argv.slice(2);
const [trials, concurrency, kilobytes] = numbers.map(Number);
// A build elsewhere can be named, so that one bench run does not depend on who builds what here.
const root = process.env.TANDEM_DIST ?? new URL('../../dist', import.meta.url).pathname;
const built = existsSync(join(root, 'index.js'));
const load = (path) => import(built ? join(root, `${path}.js`) : new URL(`../../src/${path}.ts`, import.meta.url).href);

const started = performance.now();
// The sandbox starts while the rest is being loaded, as `tandem verify-components` does it.
const { openSandbox } = await load('adapters/sandbox/open-sandbox');
const opening = openSandbox({ allowUnsandboxed: true, folder: dir });
const [{ openSessions }, { loadThrough }, { evaluate }, { Brief }, { FormatSpec, BusinessRules }] = await Promise.all(
  [
    'evaluation/open-sessions',
    'evaluation/load-components',
    'evaluation/evaluate',
    'scenario/brief',
    'scenario/design',
  ].map(load),
);

const usage = { input_tokens: 10, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const filler = 'x'.repeat(kilobytes * 1024);
const { signal } = new AbortController();
const sandbox = await opening;
const session = await openSessions(sandbox, dir);
const { components, problems } = await loadThrough(session, dir, signal);
if (problems.length > 0) throw new Error(problems[0].message);
const samples = components.samples.length;
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
    const content = [{ type: 'text', text: `yes ${filler}` }];
    return { id: 'm', model: 'waits', content, stopReason: 'end_turn', usage };
  },
};
const beganMs = Math.round(performance.now() - started);
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
  session,
  concurrency,
  simulated: true,
  componentsDigest: 'c',
  onSample: () => undefined,
  now: () => performance.now(),
  signal,
});
const evaluatedMs = Math.round(performance.now() - started);
await session.close();
const done = results.samples.reduce((sum, sample) => sum + sample.trials.length, 0);
if (results.passed !== samples || done !== samples * trials)
  throw new Error(`${results.passed} of ${results.total} passed`);
console.log(
  JSON.stringify({
    sandbox: sandbox.kind,
    built,
    beganMs,
    evaluatedMs,
    insideMs: Math.round(performance.now() - started),
    ownMiB: Math.round(process.resourceUsage().maxRSS / 1024),
  }),
);
