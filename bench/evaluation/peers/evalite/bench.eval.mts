// The same work for evalite, which reads no eval file but *.eval.ts and *.eval.mts below the folder it is started in.
import { evalite } from 'evalite';
import { saysYes } from '../says-yes.mjs';

evalite('bench', {
  data: Array.from({ length: Number(process.env.SAMPLES) }, (_, n) => ({ input: `Question ${n}?`, expected: 'yes' })),
  task: saysYes,
  scorers: [{ name: 'contains', scorer: ({ output, expected }) => (output.includes(expected) ? 1 : 0) }],
});
