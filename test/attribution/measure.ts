/** Puts one fault into fresh components, proves and runs them as the harness would, and says whose fault it was taken for. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { evaluate } from '../../src/evaluation/evaluate.ts';
import { loadComponents } from '../../src/evaluation/components/load-components.ts';
import { verifyComponents } from '../../src/evaluation/proof/verify-components.ts';
import type { Sandbox } from '../../src/ports/sandbox.ts';
import { Brief } from '../../src/scenario/brief.ts';
import { longOutcome } from '../../src/scenario/cases/cases.ts';
import type { Design, FormatSpec } from '../../src/scenario/design.ts';
import type { Cause, Layer } from '../../src/scenario/result.ts';
import type { TraceLine } from '../../src/scenario/trace.ts';
import { omitUndefined } from '../../src/omit-undefined.ts';
import { listUserTools } from '../../src/scenario/design.ts';
import { formatOf, openShipped, outputDir, playRun, rulesOf } from '../scenarios/shipped.ts';
import { editSample, textOf, type Files, type Injection, type Plan, type RawSample } from './injection.ts';

export type Taken = {
  /** Undefined when nothing failed at all. */
  layer: Layer | undefined;
  cause: Cause | undefined;
  /** Found by verification, before anything would be paid. */
  early: boolean;
  /** Layers that verification names before anything would be paid, doubts among them. */
  named: readonly Layer[];
  why: string;
  /** Problems that name another layer than the first one. */
  others: number;
};

export type Ground = { files: Files; design: Design; brief: Brief };

/** The components of the last iteration, all proven, and the design that they were built from. */
export function openGround(name: 'refund-desk' | 'clinic-booking'): Ground {
  const scenario = openShipped(name);
  const { tree } = playRun(scenario, 1);
  const prefix = `${outputDir(3)}/`;
  const own = [...tree].filter(([path]) => path.startsWith(prefix));
  const files = new Map(own.map(([path, text]) => [path.slice(prefix.length), text]));
  const format = formatOf(tree, 2);
  if (name === 'refund-desk') addCheckers(files);
  return {
    files,
    brief: scenario.brief,
    design: {
      ...{ round: 2, digest: 'd', narrative: '', rules: rulesOf(tree, 2) },
      format: name === 'refund-desk' ? leaveReadingsOut(format) : format,
    },
  };
}

const CHECKERS = join(import.meta.dirname, '../fixtures/checkers-for-every-rule');

/** The same design as one that says of no outcome where it is read, so that checkers judge every rule. */
function leaveReadingsOut({ cases, ...format }: FormatSpec): FormatSpec {
  if (cases === undefined) return format;
  const { frames: _frames, outcomes, ...table } = cases;
  const unread = Object.entries(outcomes).map(([name, short]) => {
    const { from: _from, as: _as, ...outcome } = longOutcome(short);
    return [name, outcome] as const;
  });
  return { ...format, cases: { ...table, outcomes: Object.fromEntries(unread) } };
}

/** Faults of checkers need checkers of all rules, in place of those of words that the desk has. */
function addCheckers(files: Files): void {
  for (const path of [...files.keys()]) if (path.startsWith('checkers/')) files.delete(path);
  for (const name of readdirSync(CHECKERS).filter((one) => one.endsWith('.mjs')))
    files.set(`checkers/${basename(name)}`, readFileSync(join(CHECKERS, name), 'utf8'));
  const lists = JSON.parse(readFileSync(join(CHECKERS, 'lists.json'), 'utf8')) as Record<string, string[]>;
  for (const [id, checkers] of Object.entries(lists))
    editSample(id, (sample) => void Object.assign(sample, { checkers }))(files);
}

export async function measure(injection: Injection, ground: Ground, dir: string, sandbox: Sandbox): Promise<Taken> {
  const { signal } = new AbortController();
  const files = new Map(ground.files);
  injection.change?.(files);
  for (const [path, text] of files) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  const design = designWith(ground.design, injection);
  const verification = await verifyComponents({
    dir,
    design,
    samplesWanted: ground.brief.samples.min,
    sandbox,
    signal,
  });
  const [first] = verification.problems;
  const named = [...verification.problems, ...(verification.remarks ?? [])].map(({ layer }) => layer);
  const others = verification.problems.filter(({ layer }) => layer !== first?.layer).length;
  if (first !== undefined)
    return {
      layer: first.layer,
      // What a proof finds in layer 4 is in the files: no subject has played yet.
      cause: causeOfLayer(first.layer),
      early: true,
      why: `${first.code} ${first.component}: ${first.message}`,
      others,
      named,
    };
  const { components } = await loadComponents(dir, sandbox, signal);
  const results = await evaluate({
    dir,
    design,
    brief: Brief.parse({ ...ground.brief, subject: { kind: 'recorded', traces: 'none' } }),
    components,
    verification,
    iteration: 1,
    round: 2,
    modelFor: () => {
      throw new Error('no model may be asked');
    },
    recording: async (id) =>
      linesOf(
        JSON.parse(textOf(files, `samples/${id}.json`)) as RawSample,
        injection.plan,
        listUserTools(design.format),
      ),
    maxTokens: 1,
    price: { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 },
    sandbox,
    concurrency: 2,
    simulated: true,
    componentsDigest: 'c',
    onSample: () => undefined,
    now: () => 0,
    signal,
  });
  const failed = results.samples.filter(({ outcome }) => outcome === 'fail');
  return {
    layer: failed[0]?.layer,
    cause: failed[0]?.cause,
    early: false,
    named,
    others: 0,
    why: failed.map(({ id, layer, why }) => `${id} ${layer} ${why[0]}`).join(' | '),
  };
}

function causeOfLayer(layer: Layer): Cause {
  return layer === 4 ? '4a' : layer === 1 ? '1' : layer === 2 ? '2' : '3';
}

function designWith({ rules, format, ...rest }: Design, injection: Injection): Design {
  const added = (injection.rules ?? []).map((rule) => ({
    ...rule,
    title: rule.id,
    severity: 'must' as const,
    applies_to: [],
  }));
  return {
    ...rest,
    rules: { ...rules, rules: [...rules.rules, ...added] },
    format: { ...format, world: { ...format.world, ...injection.world } },
  };
}

/** The trace of a subject that does what is planned, a call a step, and speaks at the end; its user acts when it is time to. */
function linesOf(sample: RawSample, plan: Injection['plan'], ofUser: ReadonlySet<string>): TraceLine[] {
  const planned: Plan = plan?.(sample) ?? { calls: sample.gold, says: sample.gold_says };
  const { calls, says, asks, stop = 'done', detail } = planned;
  const after = asks === undefined ? 1 : 2;
  const usage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
  return [
    ...(asks === undefined
      ? []
      : ([
          { type: 'says', step: 1, text: asks.says },
          { type: 'user', step: 1, text: asks.user },
        ] satisfies TraceLine[])),
    ...calls.flatMap(({ tool, args }, index): TraceLine[] => {
      const step = index + after;
      const call = { type: 'call' as const, step, tool, input: args, output: null, is_error: false, change: [] };
      if (!ofUser.has(tool)) return [call];
      return [
        { type: 'says', step, text: 'Please do so.' },
        { ...call, by: 'user' },
        { type: 'user', step, text: 'Done.' },
      ];
    }),
    ...(says === '' ? [] : [{ type: 'says' as const, step: calls.length + after, text: says }]),
    {
      type: 'end',
      stop,
      ...omitUndefined({ detail }),
      world: {},
      final: says,
      calls: calls.length,
      usage,
      costUsd: 0,
      durationMs: 0,
    },
  ];
}
