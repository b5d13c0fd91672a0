// One whole process of our side: the samples of a folder through the evaluation, the subject waits 50 ms and answers.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const [dir, ...numbers] = process.argv.slice(2);
const [samples, trials, concurrency, kilobytes] = numbers.map(Number);
// A build elsewhere can be named, so that one bench run does not depend on who builds what here.
const root = process.env.TANDEM_DIST ?? new URL('../../dist', import.meta.url).pathname;
const built = existsSync(`${root}/evaluation.js`);
const source = new URL('../../src/app/evaluation/evaluate-folder.ts', import.meta.url).href;
const { evaluateFolder, proveFolder } = await import(built ? `${root}/evaluation.js` : source);

const usage = { input_tokens: 10, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const filler = 'x'.repeat(kilobytes * 1024);
let [now, most, calls] = [0, 0, 0];
const model = {
  call: async () => {
    now += 1;
    calls += 1;
    most = Math.max(most, now);
    await wait(50);
    now -= 1;
    // A whole sentence: after a bare word the user would wait for more, and each sample would cost two calls.
    const content = [{ type: 'text', text: `yes, that is so. ${filler}` }];
    return { id: 'm', model: 'waits', content, stopReason: 'end_turn', usage };
  },
};
const category = { id: 'questions', title: 'Questions', samples };
const folder = {
  dir,
  brief: {
    version: 1,
    name: 'bench',
    title: 'Bench',
    reads: ['brief.md'],
    trials,
    samples: { min: 1, categories: [category.id] },
    subject: { model: 'waits' },
  },
  rules: { version: 1, rules: [{ id: 'R1', title: 'Answers', text: 'It answers.', severity: 'must' }] },
  format: {
    version: 1,
    world: { type: 'object' },
    tools: [{ name: 'look', purpose: 'Looks.', changes_world: false }],
    categories: [category],
    subject_prompt: 'Answer.',
  },
  allowUnsandboxed: true,
};
const proofFile = join(dir, 'proof.json');
// No peer proves its scorers. Ours prove themselves once, and not at every run: that is no part of what is measured.
if (!existsSync(proofFile)) {
  writeFileSync(proofFile, JSON.stringify((await proveFolder(folder)).proof));
  process.exit();
}
const proof = JSON.parse(readFileSync(proofFile, 'utf8'));
const { results, problems } = await evaluateFolder({ ...folder, proof, modelFor: () => model, concurrency });
if (results === undefined) throw new Error(problems[0].message);
const done = results.samples.reduce((sum, sample) => sum + sample.trials.length, 0);
if (results.passed !== samples || done !== samples * trials)
  throw new Error(`${results.passed} of ${results.total} passed`);
if (calls !== done) throw new Error(`${calls} calls for ${done} trials: the peers make one for each`);
const ownMiB = Math.round(process.resourceUsage().maxRSS / 1024);
if (process.env.AT_ONCE !== undefined) writeFileSync(process.env.AT_ONCE, String(most));
if (process.env.OUT !== undefined) writeFileSync(process.env.OUT, JSON.stringify({ passed: done }));
const insideMs = Math.round(performance.now());
console.log(JSON.stringify({ sandbox: results.sandbox, built, insideMs, ownMiB }));
