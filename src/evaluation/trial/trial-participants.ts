/** Who plays the two sides of a trial: the subject that the scenario names, and its user. */
import type { ModelFacts, Model } from '../../ports/model.ts';
import { NO_USAGE, type Conversation, type SubjectHost } from '../../ports/subject.ts';
import type { Brief } from '../../scenario/brief.ts';
import type { FormatSpec } from '../../scenario/design.ts';
import { subjectName } from '../../scenario/subject.ts';
import { userToolsOf } from '../../scenario/user-tools.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import type { ToolDefinition } from '../../transcript/message.ts';
import type { Components, LoadedSample } from '../components/components.ts';
import { modelConversation } from './model-conversation.ts';
import { modelUser, type UserModel } from './model-user.ts';
import { recordedParticipants } from './recorded-participants.ts';
import { scriptedUser, silentUser, type SimulatedUser } from './simulated-user.ts';
import type { Subject } from './subject-turn.ts';

export type TrialParticipants = { open: () => Promise<Conversation>; user: SimulatedUser };

export type ParticipantSources = {
  brief: Brief;
  /** A model for each trial; the lane is `subject/<sample>.<trial>`. */
  modelFor: (lane: string) => Model | Promise<Model>;
  price: ModelFacts['price'];
  /** The subject of the kinds `command` and `http`. */
  host?: SubjectHost;
  /** The subject of the kind `recorded`: the trace of a trial, undefined when there is none. */
  recording?: (sample: string, trial: number) => Promise<readonly TraceLine[] | undefined>;
  /** The user that a model plays; the lane is `user/<sample>.<trial>`. */
  userModel?: Omit<UserModel, 'model' | 'tools'> & { modelFor: (lane: string) => Model | Promise<Model> };
};

/** The tools of one side, in the order of the format specification. */
export function offeredTools(format: FormatSpec, { tools }: Pick<Components, 'tools'>, by: 'subject' | 'user') {
  const specs = new Map(tools.map((tool) => [tool.name, tool]));
  const ofUser = userToolsOf(format);
  return format.tools.flatMap(({ name }): ToolDefinition[] => {
    const spec = specs.get(name);
    if (spec === undefined || ofUser.has(name) !== (by === 'user')) return [];
    return [{ name, description: spec.description, input_schema: spec.input_schema }];
  });
}

/** The subject as every trial meets it. */
export function buildSubject(
  brief: Brief,
  format: FormatSpec,
  components: Components,
  { maxTokens, thinking }: Pick<Subject, 'maxTokens' | 'thinking'>,
): Subject {
  const tools = offeredTools(format, components, 'subject');
  return { model: subjectName(brief.subject), prompt: format.subject_prompt, tools, maxTokens, thinking };
}

export async function openParticipants(
  players: ParticipantSources,
  subject: Subject,
  userTools: ToolDefinition[],
  { sample }: LoadedSample,
  trial: number,
): Promise<TrialParticipants> {
  const { brief, host, recording, modelFor, price } = players;
  const name = `${sample.id}.${trial}`;
  if (recording !== undefined) {
    const lines = await recording(sample.id, trial);
    if (lines === undefined)
      return { open: async () => unreachable(`no trace of ${name} was recorded`), user: silentUser };
    const { conversation, user } = recordedParticipants(lines);
    return { open: async () => conversation, user };
  }
  const user = await userOf(players, userTools, sample, name);
  const { prompt, tools } = subject;
  if (host !== undefined) return { open: () => host.open({ prompt, tools }), user };
  if (brief.subject.kind !== 'model') {
    return { open: async () => unreachable(`nobody stands behind the subject "${subject.model}"`), user };
  }
  return { open: async () => modelConversation(subject, await modelFor(`subject/${name}`), price), user };
}

async function userOf(
  { brief, userModel }: ParticipantSources,
  tools: ToolDefinition[],
  sample: LoadedSample['sample'],
  name: string,
): Promise<SimulatedUser> {
  if (brief.user.simulator === 'none') return silentUser;
  if (brief.user.simulator === 'scripted' || userModel === undefined) return scriptedUser(sample);
  const { modelFor, ...settings } = userModel;
  return modelUser({ ...settings, tools, model: await modelFor(`user/${name}`) }, sample);
}

/** Nothing can be said about a subject that nobody could talk to. */
function unreachable(detail: string): Conversation {
  const end = { stop: 'infrastructure' as const, detail };
  return {
    next: () => Promise.resolve({ says: '', calls: [], end, usage: NO_USAGE, costUsd: 0 }),
    close: () => Promise.resolve(),
  };
}
