/** Measures what the proofs would notice: mutants of the code, sabotage and fair variations of the gold paths. */
import pLimit from 'p-limit';
import { isReadWhole } from '../../../scenario/cases/judge-by-table.ts';
import type { Design } from '../../../scenario/design.ts';
import type { Finding, ProofStrength } from '../../../scenario/proof-strength.ts';
import type { Sandbox, OpenSandbox } from '../../../ports/sandbox.ts';
import { stageFor } from '../../components/call-tool.ts';
import { findWorld, type Components, type LoadedSample } from '../../components/components.ts';
import { worldsBefore, type TrialRecord } from '../../components/trial-record.ts';
import type { SampleProof } from '../verify-sample.ts';
import { getAnswerMemory } from '../answer-memory.ts';
import { componentInput, dropRepeatedInputs } from './mutants/component-input.ts';
import { judgePlays } from './plays/judge-plays.ts';
import { openMutantBench, type MutantBench } from './mutants/mutant-bench.ts';
import { argumentValues } from './plays/other-values.ts';
import { batchingSession } from './mutants/batching-session.ts';
import { samplePlays } from './plays/fair-variations.ts';
import { summariseStrength, type TriedComponent } from './summarise-strength.ts';
import {
  askOriginal,
  tryMutants,
  type ComponentInputs,
  type MutantTrial,
  type TriedMutant,
} from './mutants/try-mutants.ts';
import { ruleDoubts, toolDoubts } from './doubts/rule-doubts.ts';
import { sampleDoubts } from './doubts/sample-doubts.ts';
import { findUnreachedGuards } from './doubts/unreached-guards.ts';
import { reverseKeys } from '../relations/read-relations.ts';

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
          const demandedReads = listDemandedReads(loaded, { design, components });
          return samplePlays({ loaded, stage, gold, readOnly, demandedReads, values }, mutants, signal);
        }),
    );
    const judged = await judgePlays(played, components.checkers, { bench, memory, signal });
    const tools = toolInputs(components, judged.samples);
    const isTimeUp = (): boolean => performance.now() > until;
    const trying = { session: bench.session, memory, signal, isTimeUp };
    const tried = await tryAll([...judged.measured, ...tools], bench, trying);
    // What a person should look at: none of it refuses a submission.
    const findings = [
      ...ruleDoubts(design, components, judged.samples),
      ...sampleDoubts(design, components, judged.samples),
      ...(await toolDoubts({ components, tools, session, values, signal })),
      ...tried.flatMap(({ doubts = [] }) => doubts),
      ...findUnreachedGuards(tried),
    ];
    return summariseStrength({ design, components, judged, tried, findings });
  } finally {
    await bench.close();
  }
}

/**
 * The tools that a rule of the sample is about, of those whose demands the table does not read whole: what it cannot read may be
 * that such a tool is asked first.
 */
function listDemandedReads(
  { sample }: LoadedSample,
  { design: { format, rules }, components }: Pick<StrengthInput, 'design' | 'components'>,
): Set<string> {
  const listed = components.checkers.filter(({ id }) => sample.checkers.includes(id));
  const ids = new Set([...sample.covers, ...listed.flatMap(({ rules }) => rules)]);
  const open = rules.rules.filter((rule) => ids.has(rule.id) && !isReadWhole(rule, format.cases));
  return new Set(open.flatMap(({ applies_to: tools }) => tools));
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
  return tools.map(({ name, examples }) => {
    const shown = examples.map(({ input, world }) => componentInput([input, findWorld(worlds, world)]));
    const own = calls.filter(({ tool }) => tool === name).map(({ given }) => given);
    return { folder: 'tools', name, rules: [], inputs: dropRepeatedInputs([...shown, ...own]) };
  });
}

async function tryAll(
  components: readonly ComponentInputs[],
  bench: MutantBench,
  trying: Omit<MutantTrial, 'module' | 'name' | 'inputs'>,
): Promise<TriedComponent[]> {
  const limit = pLimit(AT_ONCE);
  const tried = components.map(({ folder, name, rules, inputs }) =>
    limit(async (): Promise<TriedComponent> => {
      const module = await bench.moduleOf(folder, name);
      if (module === undefined) return { folder, name, rules, path: name, mutants: undefined };
      const all: MutantTrial = { ...trying, module, inputs, name: folder === 'tools' ? 'run' : 'check' };
      const mutants = await tryMutants(all);
      const { path, digest } = module;
      return { folder, name, rules, path, digest, mutants, doubts: await findDoubts({ name, path, mutants }, all) };
    }),
  );
  return Promise.all(tried);
}

/** What neither the place where a component runs nor the order of keys may change. The sandbox has the time of UTC. */
async function findDoubts(
  { name, path, mutants }: { name: string; path: string; mutants: readonly TriedMutant[] },
  trying: MutantTrial,
): Promise<Finding[]> {
  const isLocal = mutants.some(({ kind, outcome }) => kind === 'other-zone' && outcome === 'caught');
  const zone = 'it says something else in another time zone or language: it reads local time; count in UTC';
  const order = 'its verdict depends on the order of keys in the world: find records by their keys';
  const isTurned = trying.name === 'check' && (await dependsOnOrder(trying));
  return [
    ...(isLocal ? [{ code: 'reads-local-time', component: name, message: `${path}: ${zone}` }] : []),
    ...(isTurned ? [{ code: 'checker-key-order', component: name, message: `${path}: ${order}` }] : []),
  ];
}

/** The most plays that a checker judges again, with the keys of all objects in another order. */
const MOST_TURNED = 20;

async function dependsOnOrder(trying: MutantTrial): Promise<boolean> {
  const inputs = trying.inputs.slice(0, MOST_TURNED);
  const turned = inputs.map(({ text }) => componentInput(reverseKeys(JSON.parse(text)) as unknown[]));
  const usual = await askOriginal({ ...trying, inputs });
  const other = await askOriginal({ ...trying, inputs: turned });
  return usual !== undefined && other !== undefined && usual.some((one, index) => other[index] !== one);
}
