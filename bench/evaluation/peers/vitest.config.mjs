export default {
  test: {
    include: ['peers/vitest-evals.eval.mjs'],
    maxConcurrency: Number(process.env.CONCURRENCY),
    testTimeout: 60_000,
    reporters: ['json'],
    outputFile: process.env.OUT,
  },
};
