// The same work for vitest-evals: concurrency must be asked for, its default is one after the other.
import { createHarness, describeEval } from 'vitest-evals';

const waits = createHarness({
  name: 'waits',
  run: async () => {
    await new Promise((done) => setTimeout(done, 50));
    return { output: 'yes', messages: [{ role: 'assistant', content: 'yes' }] };
  },
});
const questions = Array.from({ length: Number(process.env.SAMPLES) }, (_, n) => n);

describeEval('bench', { harness: waits }, (it) => {
  it.concurrent.for(questions)('question %i', async (n, { run, expect }) => {
    const { output } = await run(`Question ${n}?`);
    expect(output).toContain('yes');
  });
});
