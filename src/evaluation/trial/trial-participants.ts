/** The two sides of a trial: the subject that the scenario names, and its user. */
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { type ModelFacts, type Model, computeCost, type OutgoingMessage } from '../../ports/model.ts';
import { formatToolResult, stoppedTurn, type Conversation, type SubjectHost } from '../../ports/subject.ts';
import type { SubjectInput, SubjectTurn } from '../../ports/subject.ts';
import type { Brief } from '../../scenario/brief.ts';
import { listUserTools, type Design, type FormatSpec } from '../../scenario/design.ts';
import type { GraderSpec } from '../../scenario/grader.ts';
import type { Sample } from '../../scenario/sample.ts';
import { subjectName } from '../../scenario/subject.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import { type ToolDefinition, listToolUses, type Block } from '../../transcript/message.ts';
import type { Components, Trial } from '../components/components.ts';
import type { Grading } from '../graders/grading.ts';
import type { UserModel } from './model-user.ts';
import { recordedParticipants } from './recorded-participants.ts';
import { choosingUser } from '../chooser/choosing-user.ts';
import { silentUser, type SimulatedUser } from './simulated-user.ts';
import { type Subject, asSent, callSubject, assistantText, readTurnEnd, subjectRequest } from './subject-turn.ts';

export type TrialParticipants = { open: () => Promise<Conversation>; user: SimulatedUser };

type ModelFor = (lane: string) => Model | Promise<Model>;

export type ParticipantSources = {
  brief: Brief;
  /** A model for each trial; the lane is `subject/<sample>.<trial>`. */
  modelFor: ModelFor;
  price: ModelFacts['price'];
  /** The subject of the kinds `command` and `http`. */
  host?: SubjectHost;
  /** The subject of the kind `recorded`: the trace of a trial, undefined when there is none. */
  recording?: (sample: string, trial: number) => Promise<readonly TraceLine[] | undefined>;
  /** The user that a model plays; the lane is `user/<sample>.<trial>`. */
  userModel?: Omit<UserModel, 'model' | 'tools'> & { modelFor: ModelFor };
  /** The model that chooses the moves of `auto` users; rules choose where it is absent. The lane is that of a user. */
  chooserModel?: ParticipantSources['userModel'];
  /** The model that reads statements; code alone where it is absent. */
  statementModel?: ParticipantSources['userModel'];
  /** The graders; the lane is `grader/<id>/<sample>.<trial>`. */
  grading?: Grading | undefined;
};

/** The same sources with each of their models replaced; `by` says who calls it. */
export function replaceModels<Sources extends ParticipantSources>(
  sources: Sources,
  replace: (model: Model, by: string) => Model,
): Sources {
  const over = <Source extends { modelFor: ModelFor }>(source: Source, by: string): Source => ({
    ...source,
    modelFor: async (lane: string) => replace(await source.modelFor(lane), by),
  });
  const { userModel, chooserModel, statementModel, grading } = sources;
  return {
    ...over(sources, 'subject'),
    ...(userModel && { userModel: over(userModel, 'user') }),
    ...(chooserModel && { chooserModel: over(chooserModel, 'user') }),
    ...(statementModel && { statementModel: over(statementModel, 'statements') }),
    ...(grading && {
      grading: {
        ...grading,
        modelOf: async (grader: GraderSpec) => over(await grading.modelOf(grader), `grader ${grader.id}`),
      },
    }),
  };
}

/** The tools of one side, in the order of the format specification. */
export function offeredTools(format: FormatSpec, { tools }: Pick<Components, 'tools'>, by: 'subject' | 'user') {
  const specs = new Map(tools.map((tool) => [tool.name, tool]));
  const ofUser = listUserTools(format);
  return format.tools.flatMap(({ name }): ToolDefinition[] => {
    const spec = specs.get(name);
    if (spec === undefined || ofUser.has(name) !== (by === 'user')) return [];
    return [{ name, description: spec.description, input_schema: spec.input_schema }];
  });
}

type SubjectParts = Pick<Subject, 'maxTokens' | 'thinking'> & { brief: Brief; design: Design; components: Components };

/** The subject of every trial. */
export function buildSubject({ brief, design, components, maxTokens, thinking }: SubjectParts): Subject {
  const { format } = design;
  const tools = offeredTools(format, components, 'subject');
  return { model: subjectName(brief.subject), prompt: format.subject_prompt, tools, maxTokens, thinking };
}

export async function openParticipants(
  sources: ParticipantSources,
  { subject, userTools }: { subject: Subject; userTools: ToolDefinition[] },
  { loaded: { sample }, trial }: Trial,
): Promise<TrialParticipants> {
  const { brief, host, recording, modelFor, price } = sources;
  const name = `${sample.id}.${trial}`;
  if (recording !== undefined) {
    const lines = await recording(sample.id, trial);
    if (lines === undefined)
      return { open: async () => createUnreachable(`no trace of ${name} was recorded`), user: silentUser };
    const { conversation, user } = recordedParticipants(lines);
    return { open: async () => conversation, user };
  }
  const user = await openUser(sources, userTools, { sample, name });
  const { prompt, tools } = subject;
  if (host !== undefined) return { open: () => host.open({ prompt, tools }), user };
  if (brief.subject.kind !== 'model') {
    return { open: async () => createUnreachable(`nothing plays the subject "${subject.model}"`), user };
  }
  return { open: async () => modelConversation(subject, await modelFor(`subject/${name}`), price), user };
}

async function openUser(
  { brief, userModel, chooserModel }: ParticipantSources,
  tools: ToolDefinition[],
  { sample, name }: { sample: Sample; name: string },
): Promise<SimulatedUser> {
  const kind = sample.user.simulator ?? brief.user.simulator;
  if (kind === 'none') return silentUser;
  if (kind === 'auto' || kind === 'scripted') {
    if (chooserModel === undefined || kind === 'scripted') return choosingUser(sample);
    const { modelFor, ...settings } = chooserModel;
    const { modelChooser } = await import('../chooser/choose-by-model.ts');
    return choosingUser(sample, modelChooser({ ...settings, model: await modelFor(`user/${name}`) }, sample));
  }
  if (userModel === undefined) throw new HarnessError('config_invalid', `${name}: no model is here to play its user.`);
  const { modelFor, ...settings } = userModel;
  const { modelUser } = await import('./model-user.ts');
  return modelUser({ ...settings, tools, model: await modelFor(`user/${name}`) }, sample);
}

/** Creates a conversation that ends at once as unscored, for a subject that cannot be reached. */
function createUnreachable(detail: string): Conversation {
  return {
    next: () => Promise.resolve(stoppedTurn('infrastructure', detail)),
    close: () => Promise.resolve(),
  };
}

/** The subject that is a model: each turn is one request, and the conversation so far is its messages. */
export function modelConversation(subject: Subject, model: Model, price: ModelFacts['price']): Conversation {
  const messages: OutgoingMessage[] = [];
  return {
    async next(input, leftMs, signal): Promise<SubjectTurn> {
      if (input !== undefined) messages.push({ role: 'user', content: toBlocks(input) });
      const called = await callSubject(model, subjectRequest(subject, [...messages]), { leftMs, signal });
      if (called.type === 'stopped') return stoppedTurn(called.stop, called.detail);
      const { response } = called;
      const sent = asSent(response.content);
      if (sent.length > 0) messages.push({ role: 'assistant', content: sent });
      const calls = listToolUses(response).map(({ id, name, input }) => ({ id, tool: name, args: input }));
      const { usage } = response;
      const turn = { says: assistantText(response.content), calls, usage, costUsd: computeCost(usage, price) };
      const { end, goesOn } = readTurnEnd(response);
      if (end !== undefined || goesOn === true) return { ...turn, ...omitUndefined({ end, goesOn }) };
      // An answer without content cannot be sent back, so the conversation cannot continue.
      return sent.length === 0 ? { ...turn, end: { stop: 'done' } } : turn;
    },
    close: () => Promise.resolve(),
  };
}

function toBlocks(input: SubjectInput): Block[] {
  if (input.type === 'user') return [{ type: 'text', text: input.text }];
  return input.results.map(({ id, output, is_error }) => ({
    type: 'tool_result',
    tool_use_id: id,
    // The API refuses an empty text.
    content: formatToolResult(output).trim() === '' ? '(an empty answer)' : formatToolResult(output),
    is_error,
  }));
}
