/** Measures what the proofs would notice: mutants of the code, sabotage and fair variations of the gold paths. */
import pLimit from 'p-limit';
import type { ToolSpec } from '../../../scenario/component.ts';
import type { BusinessRule, Design } from '../../../scenario/design.ts';
import type { ProofStrength, Finding } from '../../../scenario/proof-strength.ts';
import type { Sandbox, OpenSandbox } from '../../../ports/sandbox.ts';
import { stageFor } from '../../components/call-tool.ts';
import { findWorld, type Components, type LoadedSample } from '../../components/components.ts';
import type { TrialRecord } from '../../components/trial-record.ts';
import type { SampleProof } from '../verify-sample.ts';
import { componentInput, dropRepeatedInputs, type ComponentInput } from './mutants/component-input.ts';
import { getAnswerMemory } from './mutants/answer-memory.ts';
import { judgePlays, type CheckerRecord, type JudgedSample } from './plays/judge-plays.ts';
import { openMutantBench, type MutantBench } from './mutants/mutant-bench.ts';
import { argumentValues } from './plays/other-values.ts';
import { batchingSession } from './mutants/batching-session.ts';
import { worldsBefore } from './plays/replay-variant.ts';
import { samplePlays } from './plays/fair-variations.ts';
import { summariseStrength, type TriedComponent } from './summarise-strength.ts';
import { tryMutants, type ComponentInputs, type MutantTrial } from './mutants/try-mutants.ts';
import { ruleDoubts } from './doubts/rule-doubts.ts';
import { sampleDoubts } from './doubts/sample-doubts.ts';
import { toolDoubts, type ProbeInput } from './doubts/tool-doubts.ts';

/** How much work a measurement may do. */
export type StrengthBudget = { seconds: number; mutantsEach: number };

/** A budget that tries every mutant of the shipped scenarios. */
export const USUAL_BUDGET: StrengthBudget = { seconds: 20, mutantsEach: 80 };

export type StrengthInput = {
  dir: string;
  sandbox: Sandbox;
  session: OpenSandbox;
  design: Design;
  components: Components;
  proofs: readonly SampleProof[];
  budget: StrengthBudget;
  signal: AbortSignal;
};

const AT_ONCE = 8;

/** For components that proved themselves. Which mutants are tried depends on the sources alone, unless the time is up. */
export async function measureStrength(input: StrengthInput): Promise<ProofStrength> {
  const { dir, sandbox, design, components, proofs, budget, signal } = input;
  const until = performance.now() + budget.seconds * 1000;
  const memory = getAnswerMemory(sandbox);
  const most = budget.mutantsEach;
  const bench = await openMutantBench({ dir, sandbox, paths: components.paths, most, memory, signal });
  try {
    const session = batchingSession(input.session, { bench, memory });
    const readOnly = new Set(design.format.tools.filter((tool) => !tool.changes_world).map(({ name }) => name));
    const values = argumentValues(components);
    const played = await Promise.all(
      proofs
        // Samples with a large world are left out, because every play would write it out.
        .filter(({ loaded, proof }) => proof.gold && loaded.base === undefined)
        .map(({ loaded, gold: { gold }, mutants }) => {
          const stage = stageFor(loaded, components, { format: design.format, session });
          const looksUpFirst = listJudgedRules(loaded, { design, components }).some(demandsLookup);
          return samplePlays({ loaded, stage, gold, readOnly, looksUpFirst, values }, mutants, signal);
        }),
    );
    const judged = await judgePlays(played, components.checkers, { bench, memory, signal });
    const tools = toolInputs(components, judged.samples);
    const isTimeUp = (): boolean => performance.now() > until;
    const tried = await tryAll([...checkerTries(judged.records), ...tools], { bench, memory, signal, isTimeUp });
    const findings = await findDoubts({ design, components, judged: judged.samples, tools, session, values, signal });
    return summariseStrength({ design, components, judged, tried, findings });
  } finally {
    await bench.close();
  }
}

/** The rules that the sample covers, and further rules of its checkers. */
function listJudgedRules(
  { sample }: LoadedSample,
  { design, components }: Pick<StrengthInput, 'design' | 'components'>,
): BusinessRule[] {
  const listed = components.checkers.filter(({ id }) => sample.checkers.includes(id));
  const ids = new Set([...sample.covers, ...listed.flatMap(({ rules }) => rules)]);
  return design.rules.rules.filter(({ id }) => ids.has(id));
}

function checkerTries(records: readonly CheckerRecord[]): ComponentInputs[] {
  return records.map(({ checker: { id, rules }, asserted }) => ({
    folder: 'checkers',
    name: id,
    rules,
    inputs: asserted,
  }));
}

/** Collects the inputs that examples, gold and wrong paths give each tool, with the world before each call. */
function toolInputs(
  { tools, worlds }: Components,
  samples: readonly { plays: readonly { kind: string; played: TrialRecord }[] }[],
): ComponentInputs[] {
  const calls = samples.flatMap(({ plays }) =>
    plays
      .filter(({ kind }) => kind === 'gold' || kind === 'wrong')
      .flatMap(({ played }) => {
        const before = worldsBefore(played);
        return played.calls.map(({ tool, input }, index) => ({ tool, given: componentInput([input, before[index]]) }));
      }),
  );
  const exampleInputs = ({ examples }: ToolSpec): ComponentInput[] =>
    examples.map(({ input, world }) =>
      componentInput([input, typeof world === 'string' ? findWorld(worlds, world) : world]),
    );
  return tools.map((tool) => {
    const own = calls.filter((call) => call.tool === tool.name).map(({ given }) => given);
    return {
      folder: 'tools',
      name: tool.name,
      rules: [],
      inputs: dropRepeatedInputs([...exampleInputs(tool), ...own]),
    };
  });
}

type MutantTrials = { bench: MutantBench } & Pick<MutantTrial, 'memory' | 'signal' | 'isTimeUp'>;

async function tryAll(
  components: readonly ComponentInputs[],
  { bench, memory, signal, isTimeUp }: MutantTrials,
): Promise<TriedComponent[]> {
  const limit = pLimit(AT_ONCE);
  const tried = components.map(({ folder, name, rules, inputs }) =>
    limit(async (): Promise<TriedComponent> => {
      const module = await bench.moduleOf(folder, name);
      if (module === undefined) return { folder, name, rules, path: name, mutants: undefined };
      const trial = {
        session: bench.session,
        module,
        name: folder === 'tools' ? 'run' : 'check',
        inputs,
        memory,
        signal,
        isTimeUp,
      } as const;
      return { folder, name, rules, path: module.path, digest: module.digest, mutants: await tryMutants(trial) };
    }),
  );
  return Promise.all(tried);
}

type DoubtInput = ProbeInput & { design: Design; judged: readonly JudgedSample[] };

/** Everything about proven components that a person should look at: none of it refuses a submission. */
async function findDoubts(input: DoubtInput): Promise<Finding[]> {
  const { design, components, judged } = input;
  return [
    ...ruleDoubts(design, components, judged),
    ...sampleDoubts(design, components, judged),
    ...(await toolDoubts(input)),
  ];
}

const ORDER = /\b(?:before|first|prior to|until|bevor|ehe|zuerst|zunächst|vorher)\b|之前|先|以前/i;
const READING =
  /\b(?:look\w*[ -]?up|look(?:s|ed|ing)? (?:at|for|into)|check\w*|read\w*|verif\w*|find\w*|found|identif\w*|retriev\w*|consult\w*|nachs\w+|prüf\w*|geprüft|gelesen|liest|lesen|sucht|gesucht)\b|查|核实|确认|读取/i;

/** Guesses from the words of the rule; a missed rule only costs a false remark. */
export function demandsLookup({ title, text }: Pick<BusinessRule, 'title' | 'text'>): boolean {
  return [title, text].some((words) => ORDER.test(words) && READING.test(words));
}
