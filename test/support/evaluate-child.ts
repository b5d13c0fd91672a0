/** A process of its own that evaluates a folder as a worker would, with a slow model whose every call is logged. */
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createAttempt } from '../../src/adapters/files/file-artifacts.ts';
import { openConfined } from '../../src/app/open-sandbox.ts';
import { evaluate } from '../../src/evaluation/evaluate.ts';
import { loadComponents } from '../../src/evaluation/components/load-components.ts';
import type { Model } from '../../src/ports/model.ts';
import type { Brief } from '../../src/scenario/brief.ts';
import type { Design } from '../../src/scenario/design.ts';
import { call, facts, say } from './responses.ts';

export type ChildSetting = { dir: string; attempt: string; design: Design; brief: Brief; log: string; delayMs: number };

const { dir, attempt, design, brief, log, delayMs } = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
) as ChildSetting;
const { signal } = new AbortController();
const sandbox = await openConfined({});
const { components } = await loadComponents(dir, sandbox, signal);

function modelFor(lane: string): Model {
  const answers = lane.includes('turn-on')
    ? [call('switch_lamp', { id: 'hall', on: true }, 'toolu_1'), say('The hall lamp is on.')]
    : [call('read_lamp', { id: 'cellar' }, 'toolu_1'), say('It is locked, I am afraid.')];
  return {
    call: async () => {
      appendFileSync(log, `${lane}\n`);
      await delay(delayMs);
      return answers.shift() ?? say('?');
    },
  };
}

await evaluate({
  dir,
  design,
  brief,
  components,
  verification: { ok: true, problems: [], proofs: [], coverage: {} },
  iteration: 1,
  round: 1,
  modelFor,
  maxTokens: 500,
  price: facts().price,
  sandbox,
  concurrency: 4,
  simulated: true,
  componentsDigest: 'c',
  memory: createAttempt('execute.i1', attempt, 'execution_outputs/iteration_1'),
  onSample: ({ done }) => appendFileSync(log, `done ${done}\n`),
  now: () => performance.now(),
  signal,
});
