/** Proposes samples for an existing design from traces: each is played again with the design's tools, and proven, or asked about. */
import { sha256 } from '../../disk/sha256.ts';
import { callTool, narrowStage, stageFor, type Stage } from '../../evaluation/components/call-tool.ts';
import type { Components } from '../../evaluation/components/components.ts';
import { verifyLoaded } from '../../evaluation/proof/verify-components.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import type { Design } from '../../scenario/design.ts';
import { isJsonObject, sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import { listCalls, type SampleCall, type Sample } from '../../scenario/sample.ts';
import { draftSample, type PlayedTrace } from './draft-sample.ts';
import type { ReadTrace, TracedToolStep, TraceStep } from './read-traces.ts';
import { rebuildWorld } from './rebuild-world.ts';
import { learnPlaces, type CallWithWorld, type WorldPlace } from './world-places.ts';

export type Disposition = 'exact' | 'needs a person' | 'evidence is missing' | 'refused';

export type Proposal = {
  id: string;
  place: string;
  /** The calls with the kind of their answers: traces of one group did the same. */
  group: string;
  disposition: Disposition;
  /** Questions, places that are not shown, or the reason for which it is refused. */
  notes: string[];
  steps: readonly TraceStep[];
  sample?: Sample;
};

export type ProposalInput = { components: Components; design: Design; session: OpenSandbox };

/** Contract: proposes only, in the order of the traces; no component and no design is changed. */
export async function proposeSamples(
  traces: readonly ReadTrace[],
  input: ProposalInput,
  signal: AbortSignal,
): Promise<Proposal[]> {
  const known = await observeSamples(input, signal);
  const places = await learnPlaces(known, signal);
  const proposals: Proposal[] = [];
  for (const trace of traces) {
    const made = await proposeOne(trace, { ...input, known, places }, signal);
    const twin = proposals.find(({ sample }) => sample !== undefined && sayTheSame(sample, made.sample));
    const { sample: _sample, ...base } = made;
    const refused: Proposal = { ...base, disposition: 'refused', notes: [`It is the same as ${twin?.id}.`] };
    proposals.push(twin === undefined ? made : refused);
  }
  return proposals;
}

type KnownSample = { sample: Sample; calls: CallWithWorld[]; stage: Stage };
type Knowledge = ProposalInput & { known: readonly KnownSample[]; places: readonly WorldPlace[] };

async function observeSamples(
  { components, design, session }: ProposalInput,
  signal: AbortSignal,
): Promise<KnownSample[]> {
  const known: KnownSample[] = [];
  for (const loaded of components.samples) {
    const stage = stageFor(loaded, components, { format: design.format, session });
    const { calls } = await playCalls(stage, { path: listCalls(loaded.sample.gold), start: loaded.world }, signal);
    known.push({ sample: loaded.sample, calls, stage });
  }
  return known;
}

type PlayedCalls = { calls: (CallWithWorld & { world: JsonObject; isChange: boolean })[]; end: JsonObject };

async function playCalls(
  stage: Stage,
  { path, start }: { path: readonly SampleCall[]; start: JsonObject },
  signal: AbortSignal,
): Promise<PlayedCalls> {
  let world = start;
  const calls: PlayedCalls['calls'] = [];
  for (const { tool, args } of path) {
    const made = await callTool(stage, { tool, args, world }, signal);
    const { output, is_error } = made;
    calls.push({ tool, args, output, is_error, world, isChange: made.change.length > 0 });
    world = made.world;
  }
  return { calls, end: world };
}

async function proposeOne(trace: ReadTrace, knowledge: Knowledge, signal: AbortSignal): Promise<Proposal> {
  const { design, known, places, components } = knowledge;
  const { steps, place } = trace;
  const calls = steps.filter((step) => 'tool' in step);
  const group = describeGroup(calls);
  const id = `trace-${sha256(JSON.stringify(steps)).slice(0, 12)}`;
  // A part that could not be read may decide, so a person must look at it.
  const conclude = (disposition: Disposition, notes: string[]): Proposal => ({
    ...{ id, place, group, steps, notes: [...notes, ...trace.notes] },
    disposition: disposition === 'exact' && trace.notes.length > 0 ? 'needs a person' : disposition,
  });
  const refusal = findRefusal(steps, components);
  if (refusal !== undefined) return conclude('refused', [refusal]);
  if (steps.findLastIndex((step) => 'says' in step) < steps.findLastIndex((step) => !('says' in step)))
    return conclude('evidence is missing', ['The last answer of the agent is not in the trace.']);
  const starts = components.samples.map(({ world }) => world);
  const { world, missing, assumed } = rebuildWorld(calls, { places, schema: design.format.world, starts });
  if (missing.length > 0)
    return conclude(
      'evidence is missing',
      missing.map((one) => `No call shows ${one}.`),
    );
  const played = await replayTrace({ id, steps, start: world, calls }, knowledge, signal);
  const alike = known.filter((one) => describeGroup(one.calls) === group).map(({ sample }) => sample);
  const questions = [
    ...assumed.map(({ pointer, value }) => {
      return `No call shows ${pointer}; all samples of the design begin with ${JSON.stringify(value)}. Was it so here?`;
    }),
    ...played.questions,
  ];
  if (alike.length === 0)
    return conclude('needs a person', [
      ...questions,
      'No sample of the design does the same: which rules does it test?',
    ]);
  const { sample, questions: asked } = await chooseDraft({ trace: played.trace, alike }, knowledge, signal);
  const notes = [...questions, ...asked];
  return { ...conclude(notes.length === 0 ? 'exact' : 'needs a person', notes), sample };
}

function findRefusal(steps: readonly TraceStep[], { tools }: Components): string | undefined {
  const [first] = steps.filter((step) => !('says' in step));
  if (first === undefined || !('user' in first)) return 'It does not begin with a person’s words.';
  const names = new Set(tools.map(({ name }) => name));
  const strange = steps.find((step) => 'tool' in step && !names.has(step.tool));
  if (strange === undefined || !('tool' in strange)) return undefined;
  return `It calls ${strange.tool.slice(0, 64)}, which is no tool of the design.`;
}

export function describeGroup(calls: readonly CallWithWorld[]): string {
  const kinds = calls.map((call) => {
    const switches = isJsonObject(call.output) ? Object.entries(call.output) : [];
    const told = switches.flatMap(([name, value]) => (typeof value === 'boolean' ? [`${name}: ${value}`] : []));
    const kind = [...told, ...(call.is_error ? ['an error'] : [])];
    return kind.length === 0 ? call.tool : `${call.tool} (${kind.join(', ')})`;
  });
  return kinds.length === 0 ? 'no calls' : kinds.join(' → ');
}

/** Every answer must be what the trace has: else the tools of the design, or its world, are not those of the trace. */
async function replayTrace(
  { id, steps, start, calls }: Pick<Proposal, 'id' | 'steps'> & { start: JsonObject; calls: readonly TracedToolStep[] },
  { components, design, session }: Knowledge,
  signal: AbortSignal,
): Promise<{ trace: PlayedTrace; questions: string[] }> {
  const { tools, paths } = components;
  const stage: Stage = {
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    ...{ session, paths, worldSchema: design.format.world, startWorld: start },
  };
  const again = await playCalls(narrowStage(stage, 'subject'), { path: calls, start }, signal);
  const place = calls.findIndex(({ output }, index) => !sameAnswer(output, again.calls[index]?.output));
  const [there, here] = [calls[place], again.calls[place]].map((call) => JSON.stringify(call?.output)?.slice(0, 300));
  const lastChange = calls[again.calls.findLastIndex(({ isChange }) => isChange)];
  return {
    trace: { id, steps, start, end: again.end, lastChange },
    questions:
      place === -1
        ? []
        : [`${calls[place]?.tool} answered ${there} there, and answers ${here} here: what of the world is different?`],
  };
}

function sameAnswer(there: unknown, here: unknown): boolean {
  return sameJson(there, here) || (typeof there === 'string' && there === JSON.stringify(here));
}

const MOST_ALIKE = 4;

/** The first draft that proves itself, if all that do agree on the category; else one with a question. */
async function chooseDraft(
  { trace, alike }: { trace: PlayedTrace; alike: readonly Sample[] },
  knowledge: Knowledge,
  signal: AbortSignal,
): Promise<{ sample: Sample; questions: string[] }> {
  const tried = await Promise.all(
    alike.slice(0, MOST_ALIKE).map(async (model) => {
      const { sample, questions } = draftSample(trace, model);
      const faults = questions.length > 0 ? [] : await findFaults(sample, knowledge, signal);
      return { sample, questions: [...questions, ...faults] };
    }),
  );
  const proven = tried.filter(({ questions }) => questions.length === 0);
  const [best] = proven.length > 0 ? proven : tried;
  if (best === undefined) throw new Error('a draft needs a sample that it is like');
  const categories = [...new Set(proven.map(({ sample }) => sample.category))];
  if (categories.length < 2) return best;
  return { ...best, questions: [`Which category is it: ${categories.join(', ')}?`] };
}

/** Faults that `verify-components` finds in this sample beside the design's own. */
async function findFaults(sample: Sample, knowledge: Knowledge, signal: AbortSignal): Promise<string[]> {
  const { components, design, session } = knowledge;
  const { start } = sample;
  const loaded = { sample, world: 'world' in start ? start.world : {} };
  const alone = { components: { ...components, samples: [loaded] }, problems: [] };
  const { problems } = await verifyLoaded(alone, { design, samplesWanted: 0, signal }, session);
  return problems
    .filter((problem) => problem.sample === sample.id || problem.component === sample.id)
    .map(({ message }) => `The proof says: ${message}. What is right here?`);
}

function sayTheSame(one: Sample, other: Sample | undefined): boolean {
  if (other === undefined) return false;
  const strip = ({ start, user, gold, gold_says }: Sample): unknown[] => {
    return [start, user.says_first, JSON.stringify(gold), gold_says];
  };
  return sameJson(strip(one), strip(other));
}
