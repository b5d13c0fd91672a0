/** Opens the participants of an evaluation, as `scenario.yaml` says: subjects of every kind, and the user. */
import { dirname } from 'node:path';
import { confinePath } from '../../disk/confine.ts';
import { openSharedFiles } from '../../disk/shared-files.ts';
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { ParticipantSources } from '../../evaluation/trial/trial-participants.ts';
import { NO_PRICE } from '../../ports/model.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import type { SubjectHosts } from '../../ports/subject.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Brief } from '../../scenario/brief.ts';
import { chooserModelName, messagesModel, userModelName } from '../../scenario/subject.ts';
import type { Deps } from '../deps.ts';
import { openGrading } from './open-grading.ts';
import { SUBJECT, USER, type ModelFor } from '../steps/step-models.ts';

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
  return {
    brief,
    modelFor: (lane) => {
      if (facts === undefined) throw new HarnessError('config_invalid', 'A subject that is no model calls no model.');
      return modelFor(lane, SUBJECT, facts);
    },
    maxTokens: subject.max_tokens,
    price: facts?.price ?? NO_PRICE,
    thinking: facts?.thinking,
    ...(await openSubject(run, subject, deps.subjects)),
    ...(await openUserModel(casting)),
    grading: await openGrading({ labels: getLabels(run), ...casting, ...deps }),
  };
}

/** A run lies in `<scenario>/runs/<id>`; the scenario's paths are relative to its scenario.yaml. */
export function getScenarioDir({ dir, around }: RunLocation): string {
  return around?.dir ?? dirname(dirname(dir));
}

function getLabels(run: RunLocation): SharedFiles {
  return run.around?.labels ?? openSharedFiles(getScenarioDir(run), { linked: true });
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

async function openUserModel({
  brief,
  modelFor,
  deps,
  signal,
}: CastingContext): Promise<Pick<ParticipantSources, 'userModel' | 'chooserModel' | 'statementModel'>> {
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
