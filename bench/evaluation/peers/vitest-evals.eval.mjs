// The same work for vitest-evals: concurrency must be asked for, its default is one after the other.
import { createHarness, describeEval } from 'vitest-evals';
import { saysYes } from './says-yes.mjs';

const waits = createHarness({
  name: 'waits',
  run: async () => {
    const output = await saysYes();
    return { output, messages: [{ role: 'assistant', content: output }] };
  },
});
const questions = Array.from({ length: Number(process.env.SAMPLES) }, (_, n) => n);

describeEval('bench', { harness: waits }, (it) => {
  it.concurrent.for(questions)('question %i', async (n, { run, expect }) => {
    const { output } = await run(`Question ${n}?`);
    expect(output).toContain('yes');
  });
});
