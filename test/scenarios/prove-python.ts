/** Proves Python components without the harness's host: all plays of a folder in one process of the system's python3. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { acceptedEnds, judgeExpectation } from '../../src/evaluation/judge/judge-expectation.ts';
import { mutateGoldWorld } from '../../src/evaluation/proof/verify-sample.ts';
import type { TrialRecord } from '../../src/evaluation/components/trial-record.ts';
import { CheckerAnswer, CheckerSpec, ToolSpec, type TracedCall } from '../../src/scenario/component.ts';
import type { JsonObject } from '../../src/scenario/json/json-value.ts';
import { applyPatch } from '../../src/scenario/json/patch.ts';
import { listCalls, Sample } from '../../src/scenario/sample.ts';
import type { Tree } from './script-tree.ts';

export type PythonComponents = {
  /** `tools/<name>.py` and `checkers/<id>.py`. */
  files: Record<string, string>;
  samples: Sample[];
  worlds: Map<string, JsonObject>;
  /** Tools that are in the user's hands. */
  ofUser: ReadonlySet<string>;
};

type Call = { step: number; tool: string; args: JsonObject; by?: 'user' };
export type Play = { sample: Sample; calls: Call[]; says: string[]; stop?: TrialRecord['stop']; after?: JsonObject };
export type Judgement = { checker: string; pass: boolean; broken: boolean; reason: string };
export type Judged = { calls: TracedCall[]; before: JsonObject; after: JsonObject; verdicts: Judgement[] };

type Answer = {
  tools: unknown[];
  checkers: unknown[];
  plays: {
    calls: TracedCall[];
    after: JsonObject;
    verdicts: { checker: string; broken: boolean; answer: unknown }[];
  }[];
};

function ask(files: Record<string, string>, plays: readonly object[]): Answer {
  const { status, error, stdout, stderr } = spawnSync(
    'python3',
    ['-I', join(import.meta.dirname, 'python-prover.py')],
    {
      input: JSON.stringify({ files, plays }),
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
    },
  );
  if (error !== undefined) throw new Error('python3 cannot be started; install Python 3.9 or newer', { cause: error });
  if (status !== 0) throw new Error(`python3 ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as Answer;
}

/** Reads every component below `dir`. */
export function loadPython(tree: Tree, dir: string, ofUser: ReadonlySet<string>): PythonComponents {
  const below = [...tree].flatMap(([path, text]) =>
    path.startsWith(`${dir}/`) ? [[path.slice(dir.length + 1), text] as const] : [],
  );
  const files = Object.fromEntries(below.filter(([path]) => path.endsWith('.py')));
  const json = below.filter(([path]) => path.endsWith('.json'));
  const isWorld = (path: string): boolean => path.startsWith('samples/worlds/');
  return {
    files,
    samples: json.filter(([path]) => !isWorld(path)).map(([, text]) => Sample.parse(JSON.parse(text))),
    worlds: new Map(
      json
        .filter(([path]) => isWorld(path))
        .map(([path, text]) => [path.slice('samples/worlds/'.length), JSON.parse(text) as JsonObject]),
    ),
    ofUser,
  };
}

/** What the modules say about themselves. */
export function specsOf({ files }: PythonComponents): { tools: ToolSpec[]; checkers: CheckerSpec[] } {
  const { tools, checkers } = ask(files, []);
  return {
    tools: tools.map((tool) => ToolSpec.parse(tool)),
    checkers: checkers.map((checker) => CheckerSpec.parse(checker)),
  };
}

/** Every tool on its own examples, twice: what it answered, and whether it changed the world. */
export function playExamples(components: PythonComponents, tools: readonly ToolSpec[]) {
  const examples = tools.flatMap(({ name, examples: own }) =>
    own.map(({ input, world }) => {
      const given = typeof world === 'string' ? components.worlds.get(world) : world;
      if (given === undefined) throw new Error(`${name}: no world is named ${JSON.stringify(world)}`);
      return { world: given, calls: [{ step: 1, tool: name, args: input }], says: [], sample: {}, checkers: [] };
    }),
  );
  const [first, second] = [ask(components.files, examples).plays, ask(components.files, examples).plays];
  return first.map(({ calls: [call], after }, index) => ({
    tool: call?.tool ?? '',
    threw: call?.is_error ?? true,
    isStable: isDeepStrictEqual(first[index], second[index]),
    changes: !isDeepStrictEqual(after, examples[index]?.world),
  }));
}

export function startOf({ id, start }: Sample, { worlds }: Pick<PythonComponents, 'worlds'>): JsonObject {
  if ('world' in start) return start.world;
  const patched = applyPatch(worlds.get(start.base) ?? {}, start.patch);
  if (!patched.ok) throw new Error(`${id}: ${patched.fault}`);
  return patched.world;
}

/** Every play with its verdicts: the sample's own expectation first, then its checkers. */
export function judgeAll(components: PythonComponents, plays: readonly Play[]): Judged[] {
  const worlds = plays.map(({ sample }) => startOf(sample, components));
  const wanted = plays.map((play, index) => ({ ...play, world: worlds[index], checkers: play.sample.checkers }));
  return ask(components.files, wanted).plays.map((answer, index) => {
    const { sample, says, stop = 'done' } = plays[index] ?? missing(index);
    const { calls, after, verdicts } = answer;
    const before = worlds[index] ?? missing(index);
    const changed = calls.map((call) => ({ ...call, change: [] }));
    const own = judgeExpectation(sample, { before, after, calls: changed, says, stop });
    return { calls, before, after, verdicts: [{ ...own, broken: false }, ...verdicts.map(asJudgement)] };
  });
}

function missing(index: number): never {
  throw new Error(`there is no play ${index}`);
}

function asJudgement({ checker, broken, answer }: Answer['plays'][number]['verdicts'][number]): Judgement {
  const parsed = CheckerAnswer.safeParse(answer);
  if (broken || !parsed.success) return { checker, pass: false, broken: true, reason: JSON.stringify(answer) };
  return { checker, pass: parsed.data.pass, broken: false, reason: parsed.data.reason };
}

export function pathOf(sample: Sample, which: 'gold' | 'wrong', { ofUser }: PythonComponents): Play {
  const calls = listCalls(sample[which]).map(({ tool, args }, index) => ({
    step: index + 1,
    tool,
    args,
    ...(ofUser.has(tool) ? { by: 'user' as const } : {}),
  }));
  const said = which === 'gold' ? sample.gold_says : sample.wrong_says;
  return { sample, calls, says: said === '' ? [] : [said] };
}

/** What verification must find, as `<component> <fault> <sample>`; empty when everything is proven. */
export function findUnproven(components: PythonComponents): string[] {
  const { samples } = components;
  const four = samples.flatMap((sample): Play[] => [
    pathOf(sample, 'gold', components),
    { sample, calls: [], says: [] },
    { sample, calls: [], says: [sample.gold_says] },
    pathOf(sample, 'wrong', components),
  ]);
  const judged = judgeAll(components, four);
  return samples.flatMap((sample, index) => {
    const verdictsOf = (which: number): Judgement[] => judged[index * 4 + which]?.verdicts ?? [];
    const [gold, silent, talker, wrong] = [verdictsOf(0), verdictsOf(1), verdictsOf(2).slice(1), verdictsOf(3)];
    const threw = judged[index * 4]?.calls.filter(({ is_error: isError }) => isError) ?? [];
    return [
      ...threw.map(({ tool, output }) => `${tool} throws-on-gold ${sample.id}: ${String(output)}`),
      ...gold
        .filter(({ pass }) => !pass)
        .map(({ checker, reason }) => `${checker} rejects-gold ${sample.id}: ${reason}`),
      ...[...silent, ...talker]
        .filter(({ pass, broken }) => pass || broken)
        .map(({ checker }) => `${checker} accepts-nothing ${sample.id}`),
      ...wrong.filter(({ broken }) => broken).map(({ checker }) => `${checker} breaks-on-wrong ${sample.id}`),
      ...(wrong[0]?.pass === true ? [`expect accepts-wrong ${sample.id}`] : []),
    ];
  });
}

/** Samples whose expectation accepts a gold world that lacks one change or has another value, and how many there were. */
export function findBlunt(components: PythonComponents): { accepted: string[]; mutants: number } {
  const plays = components.samples.map((sample) => pathOf(sample, 'gold', components));
  const mutants = judgeAll(components, plays).flatMap(({ before, after, calls }, index) => {
    const { sample, says } = plays[index] ?? missing(index);
    const changed = calls.map((call) => ({ ...call, change: [] }));
    return mutateGoldWorld(before, after, acceptedEnds(sample, before).ends).map((mutant) => {
      const played = { before, after: mutant, calls: changed, says, stop: 'done' as const };
      return { id: sample.id, pass: judgeExpectation(sample, played).pass };
    });
  });
  return { accepted: mutants.filter(({ pass }) => pass).map(({ id }) => id), mutants: mutants.length };
}
