/** Opens the participants of an evaluation, as `scenario.yaml` says: subjects of every kind, and the user. */
import { dirname } from 'node:path';
import { confinePath } from '../../disk/confine.ts';
import { openSharedFiles } from '../../disk/shared-files.ts';
import { createConfigError, HarnessError } from '../../errors.ts';
import { getOrCreate } from '../../get-or-create.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { ParticipantSources } from '../../evaluation/trial/trial-participants.ts';
import { NO_PRICE, type ModelCatalogue, type ModelFacts } from '../../ports/model.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import type { SubjectHosts } from '../../ports/subject.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Brief } from '../../scenario/brief.ts';
import { chooserModelName, messagesModel, userModelName } from '../../scenario/subject.ts';
import type { Deps, StepContext } from '../deps.ts';
import { SUBJECT, USER, type ModelFor, GRADER } from '../steps/step-models.ts';
import { z } from 'zod';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { InspectedServer } from '../../ports/tools/tool-worlds.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { ToolDefinition } from '../../transcript/message.ts';
import { sha256 } from '../../disk/sha256.ts';
import type { PromptTexts } from '../../config/load-prompts.ts';
import type { Grading } from '../../evaluation/graders/grading.ts';
import type { GraderModel } from '../../evaluation/graders/ask-grader.ts';
import { PLUGIN_PREFIX, describeRemovedGrader } from '../../ports/plugins/plugins.ts';
import { readLabels } from '../../run-folder/label-journal.ts';
import type { GraderSpec } from '../../scenario/grader.ts';
import { agreedLabels } from '../../scenario/label.ts';
import { calibrate } from '../../scenario/statistics/calibrate.ts';

type RunLocation = Pick<RunFolder, 'dir' | 'around'>;

type CastingContext = {
  run: RunLocation;
  brief: Brief;
  modelFor: ModelFor;
  deps: Pick<Deps, 'catalogue' | 'prompts' | 'subjects' | 'simulated'>;
  signal: AbortSignal;
};

export type CastParticipants = ParticipantSources & { maxTokens: number; thinking?: 'adaptive' | undefined };

/** Contract: `config_invalid` for a participant that this machine does not have, before anything is paid. */
export async function castParticipants(casting: CastingContext): Promise<CastParticipants> {
  const { run, brief, modelFor, deps, signal } = casting;
  const { subject } = brief;
  const model = messagesModel(subject);
  const facts = model === undefined ? undefined : await deps.catalogue.describe(model, signal);
  const labels = run.around?.labels ?? openSharedFiles(getScenarioDir(run), { linked: true });
  return {
    brief,
    modelFor: (lane) => {
      if (facts === undefined) throw createConfigError('A subject that is no model calls no model.');
      return modelFor(lane, SUBJECT, facts);
    },
    maxTokens: subject.max_tokens,
    price: facts?.price ?? NO_PRICE,
    thinking: facts?.thinking,
    ...(await openSubject(run, subject, deps.subjects)),
    ...(await openUserModel(casting)),
    grading: await openGrading({ labels, ...casting, ...deps }),
  };
}

/** A run lies in `<scenario>/runs/<id>`; the scenario's paths are relative to its scenario.yaml. */
export function getScenarioDir({ dir, around }: RunLocation): string {
  return around?.dir ?? dirname(dirname(dir));
}

async function openSubject(
  run: RunLocation,
  subject: Brief['subject'],
  hosts: SubjectHosts,
): Promise<Pick<ParticipantSources, 'host' | 'recording'>> {
  const scenarioDir = getScenarioDir(run);
  const { command, url, traces } = subject;
  if (command !== undefined)
    return { host: await hosts.command({ command, cwd: scenarioDir, env: subject.env ?? [] }) };
  if (url !== undefined) return { host: await hosts.http({ url, headers: subject.headers ?? {} }) };
  const { kind, base_url: baseUrl, model, key, stream, price, max_tokens: maxTokens } = subject;
  if (kind === 'openai' && baseUrl !== undefined && model !== undefined) {
    const options = { baseUrl, model, maxTokens, headers: subject.headers ?? {} };
    return { host: await hosts.openai({ ...options, ...omitUndefined({ key, stream, price }) }) };
  }
  if (subject.plugin !== undefined)
    return { host: await hosts.plugin({ plugin: subject.plugin, options: subject.options ?? {} }) };
  if (traces === undefined) return {};
  const dir = confinePath(scenarioDir, traces);
  const { readTrace } = await import('../../evaluation/trial/read-trace.ts');
  return { recording: (sample, trial) => readTrace(dir, `${sample}.${trial}.jsonl`) };
}

async function openUserModel(
  casting: CastingContext,
): Promise<Pick<ParticipantSources, 'userModel' | 'chooserModel' | 'statementModel'>> {
  const { brief, modelFor, deps, signal } = casting;
  const { user } = brief;
  // The model is opened even where the scenario has another user, because a sample may ask for a played one.
  const describe = async (name: string | undefined, prompt: string) => {
    if (name === undefined) return undefined;
    const facts = await deps.catalogue.describe(name, signal);
    const { price, thinking } = facts;
    const open = (lane: string) => modelFor(lane, USER, facts);
    return { name, maxTokens: user.max_tokens, price, thinking, prompt, modelFor: open };
  };
  const { user_simulator: plays, user_chooser: chooses, statements } = deps.prompts;
  const small = chooserModelName(brief, deps.simulated);
  // The offline model is asked only where the scenario names it as a small model, and so has scripts for it.
  const reads = brief.statements !== 'off' && (!deps.simulated || user.simulator === 'auto');
  return omitUndefined({
    userModel: await describe(userModelName(brief), plays),
    chooserModel: await describe(small, chooses),
    statementModel: await describe(reads ? small : undefined, statements),
  });
}

/** Stores the servers' first offer of the run, so that later steps show their agents the same. */
export const SERVED_FILE = 'scenario/tool_servers.json';

export const ServedTools = z.strictObject({
  version: z.literal(1),
  servers: z.array(z.strictObject({ server: z.string(), tools: z.array(ToolDefinition), state: z.unknown() })),
});

/** Longer descriptions are shortened, because a prompt is paid with every call. */
const MOST_CHARS = 40_000;

type SandboxContext = { run: Pick<RunFolder, 'dir'>; brief: Brief; deps: Pick<Deps, 'sandbox' | 'toolWorlds'> };

/** Opens the sandbox of a run, with the servers of its scenario where it names any. */
export async function openRunSandbox({ run, brief, deps }: SandboxContext): Promise<Sandbox> {
  const sandbox = await deps.sandbox();
  if (brief.tools === undefined) return sandbox;
  return deps.toolWorlds?.(brief.tools, getScenarioDir(run)).serve(sandbox) ?? sandbox;
}

/** Empty where the scenario names no server. Contract: `infrastructure`, retryable, when a server cannot be used. */
export async function describeServedTools({ run, brief, deps, signal }: Omit<StepContext, 'state'>): Promise<string> {
  if (brief.tools === undefined) return '';
  const text = (await run.read(SERVED_FILE)) ?? (await inspectServers({ run, brief, deps, signal }));
  const { servers } = ServedTools.parse(JSON.parse(text));
  const short = servers.map(({ tools, ...server }) => ({
    ...server,
    tools: tools.map(({ name, description }) => ({ name, description })),
  }));
  const shown = [servers, short].map((some) => some.map(formatServer).join('\n'));
  const servedTools = shown.find(({ length }) => length <= MOST_CHARS) ?? `${(shown[1] ?? '').slice(0, MOST_CHARS)}…`;
  return fillTemplate(deps.prompts.served_tools, { servedTools, file: SERVED_FILE }).trim();
}

async function inspectServers({ run, brief, deps, signal }: Omit<StepContext, 'state'>): Promise<string> {
  const worlds = brief.tools && deps.toolWorlds?.(brief.tools, getScenarioDir(run));
  const looked = (await worlds?.look(signal)) ?? [];
  const [bad] = looked.filter(({ problems }) => problems.length > 0);
  if (bad !== undefined) {
    throw new HarnessError('infrastructure', bad.problems.join(' '), {
      retryable: true,
      details: { server: bad.server },
    });
  }
  const servers = looked.map(({ server, tools, state }) => ({ server, tools, state }));
  const text = `${JSON.stringify({ version: 1, servers }, null, 2)}\n`;
  await run.write(SERVED_FILE, text);
  return text;
}

type ServerSummary = Pick<InspectedServer, 'server' | 'state'> & { tools: readonly object[] };

function formatServer({ server, tools, state }: ServerSummary): string {
  const lines = tools.map((tool) => JSON.stringify(tool));
  const about =
    state === undefined
      ? 'it has no state, so no world holds it: its calls change nothing'
      : `its state as it starts: ${JSON.stringify(state)}`;
  return [`server ${server}; ${about}`, ...lines].join('\n');
}

type GradingSources = {
  /** The labels of the scenario, in its folder `labels/`. */
  labels: SharedFiles;
  brief: Pick<Brief, 'graders' | 'subject'>;
  catalogue: ModelCatalogue;
  prompts: PromptTexts;
  modelFor: ModelFor;
  signal: AbortSignal;
};

/** Labels are read once, because all trials of an evaluation are judged by the same graders. */
async function openGrading(sources: GradingSources): Promise<Grading> {
  const { labels: files, brief, catalogue, prompts, modelFor, signal } = sources;
  const labels = await readLabels(files);
  const agreed = (grader: GraderSpec) => agreedLabels(labels, toLabelQuestion(grader));
  const facts = new Map<string, Promise<ModelFacts>>();
  return {
    prompts,
    modelOf: async (grader): Promise<GraderModel> => {
      const name = grader.model ?? brief.graders?.model ?? messagesModel(brief.subject);
      if (name === undefined)
        throw createConfigError(
          `graders/${grader.id}.yaml: no model answers for it: name one in it (model: …), or in scenario.yaml (graders: {model: …}).`,
        );
      if (name.startsWith(PLUGIN_PREFIX))
        throw createConfigError(`graders/${grader.id}.yaml: ${describeRemovedGrader(name)}`);
      const described = getOrCreate(facts, name, () => catalogue.describe(name, signal));
      const { price, thinking, ...rest } = await described;
      return {
        name,
        price,
        thinking,
        modelFor: (lane) => modelFor(lane, GRADER, { price, ...rest, ...(thinking && { thinking }) }),
      };
    },
    counts: (grader, key) =>
      brief.graders?.uncalibrated === 'allow' || calibrate(agreed(grader), key).why === undefined,
    agreed,
  };
}

/** What a grader asks, without how it is asked. */
export type AskedGrader = Pick<GraderSpec, 'id' | 'question' | 'pass_when' | 'fail_when'>;

/** Identifies the question that a label answers; examples, model and votes may change without affecting it. */
export function toLabelQuestion(grader: AskedGrader): { id: string; question: string } {
  const { id, question, pass_when, fail_when } = grader;
  return { id, question: sha256(JSON.stringify([question, pass_when, fail_when])) };
}
