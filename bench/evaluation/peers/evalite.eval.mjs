// The same work for evalite.
import { evalite } from 'evalite';

evalite('bench', {
  data: () => Array.from({ length: Number(process.env.SAMPLES) }, (_, n) => ({ input: `Question ${n}?`, expected: 'yes' })),
  task: async () => {
    await new Promise((done) => setTimeout(done, 50));
    return 'yes';
  },
  scorers: [{ name: 'contains', scorer: ({ output, expected }) => (output.includes(expected) ? 1 : 0) }],
});
