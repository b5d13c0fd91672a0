/** Evaluates the lamps in a folder, with whatever a test changes of it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { evaluate, type EvaluateInput } from '../../src/evaluation/evaluate.ts';
import { loadComponents } from '../../src/evaluation/components/load-components.ts';
import { Brief } from '../../src/scenario/brief.ts';
import type { Results } from '../../src/scenario/result.ts';
import { TraceLine } from '../../src/scenario/trace.ts';
import { call, facts, say } from '../support/responses.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { lampsBrief, lampsDesign, lampsFolder, trustedSandbox } from './lamps.ts';

const HALL_ON = { id: 'hall', on: true };

/** A model that solves both samples; where nothing was changed its user asks back once. */
export function goodModel(lane: string) {
  return lane.includes('turn-on')
    ? scriptedModel([call('switch_lamp', HALL_ON, 'toolu_1'), say('The hall lamp is on.'), say('It is on.')])
    : scriptedModel([call('read_lamp', { id: 'cellar' }, 'toolu_1'), say('It is locked, I am afraid.')]);
}

export async function evaluateLamps(
  more: Partial<EvaluateInput> & { files?: Record<string, unknown> } = {},
): Promise<{ dir: string; results: Results; linesOf: (name: string) => Promise<TraceLine[]> }> {
  const { files = {}, ...changed } = more;
  const dir = more.dir ?? (await lampsFolder(files));
  const sandbox = more.sandbox ?? trustedSandbox();
  const { components } = await loadComponents(dir, sandbox, new AbortController().signal);
  const results = await evaluate({
    dir,
    design: lampsDesign(),
    brief: lampsBrief(),
    components,
    verification: { ok: true, problems: [], proofs: [], coverage: {} },
    iteration: 1,
    round: 1,
    modelFor: goodModel,
    maxTokens: 500,
    price: facts().price,
    sandbox,
    concurrency: 2,
    simulated: true,
    componentsDigest: 'c',
    onSample: () => undefined,
    now: () => 0,
    signal: new AbortController().signal,
    ...changed,
  });
  const linesOf = async (name: string): Promise<TraceLine[]> => {
    const text = await readFile(join(dir, `traces/${name}.jsonl`), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => TraceLine.parse(JSON.parse(line)));
  };
  return { dir, results, linesOf };
}

/** The brief of the lamps with another subject or user. */
export function briefWith(more: { subject?: object; user?: object; trials?: number }): Brief {
  const { subject, user, trials = 1 } = more;
  const { subject: model } = lampsBrief();
  return Brief.parse({ ...lampsBrief(), trials, subject: subject ?? model, ...(user === undefined ? {} : { user }) });
}
