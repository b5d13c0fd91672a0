/** One exported sample as a place to act in: an agent calls tools and speaks, its user answers, the world changes. */
import { callTool, narrowStage, type Stage, type ToolRequest } from '../../evaluation/components/call-tool.ts';
import {
  hasActedSinceUser,
  withEvents,
  type TrialEvent,
  type TrialRecord,
} from '../../evaluation/components/trial-record.ts';
import { scriptedUser } from '../../evaluation/scripted-user/scripted-user.ts';
import { silentUser, type SimulatedUser } from '../../evaluation/trial/simulated-user.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import type { StopCause } from '../../scenario/trace.ts';
import type { Action } from './actions.ts';
import type { HarborWorld } from './world-file.ts';

export type Reply = { text: string; isError: boolean };

export type Scene = {
  /** The same actions always have the same replies. */
  act(action: Action, signal: AbortSignal): Promise<Reply>;
  record(): TrialRecord;
};

/** An agent that acts for ever ends here, where its sample has no limit. */
const MOST_ACTIONS = 500;
/** For one answer of the user, where a model plays it. */
const ANSWER_MS = 300_000;
const OVER = 'The user has left: the conversation is over.';

/** `user`: needed where a model plays it. */
export type ScenePlayers = { session: OpenSandbox; user?: SimulatedUser | undefined };

export function openScene(world: HarborWorld, { session, user = builtInUser(world) }: ScenePlayers): Scene {
  const stage = stageFor(world, session);
  const most = world.steps ?? MOST_ACTIONS;
  const events: TrialEvent[] = [{ type: 'user', step: 0, text: world.user.says_first }];
  let [after, step] = [world.start, 0];
  let end: StopCause | undefined;

  const call = async ({ tool, args }: ToolRequest, by: 'subject' | 'user', signal: AbortSignal) => {
    const { world: next, ...made } = await callTool(narrowStage(stage, by), { tool, args, world: after }, signal);
    events.push({ type: 'call', step, tool, input: args, ...made, ...(by === 'user' && { by }) });
    after = next;
    return made;
  };
  const answer = async (said: string, signal: AbortSignal): Promise<Reply> => {
    const act = (request: ToolRequest) => call(request, 'user', signal);
    const { says, end: ended } = await user.answer(
      { said, act, leftMs: ANSWER_MS, hasActed: hasActedSinceUser(events) },
      signal,
    );
    if (ended?.stop === 'infrastructure') {
      end = 'infrastructure';
      return { text: `The user cannot be reached, so this conversation is not judged: ${ended.detail}`, isError: true };
    }
    if (says === undefined) {
      end = ended?.stop ?? 'done';
      return { text: OVER, isError: false };
    }
    events.push({ type: 'user', step, text: says });
    return { text: says, isError: false };
  };

  return {
    async act(action, signal) {
      if (end !== undefined) return { text: OVER, isError: true };
      step += 1;
      if (step > most) {
        end = 'steps';
        return { text: `${most} actions were not enough: the conversation is over.`, isError: true };
      }
      if ('tool' in action) {
        const { output, is_error: isError } = await call(action, 'subject', signal);
        return { text: typeof output === 'string' ? output : JSON.stringify(output), isError };
      }
      events.push({ type: 'says', step, text: action.says });
      return action.waits ? answer(action.says, signal) : { text: 'The user has read it. Go on.', isError: false };
    },
    record: () => withEvents({ before: world.start, after, stop: end ?? 'done' }, events),
  };
}

function builtInUser(world: HarborWorld): SimulatedUser {
  return world.user_answers === 'none' ? silentUser : scriptedUser(world);
}

function stageFor({ tools, schema, start }: HarborWorld, session: OpenSandbox): Stage {
  return {
    tools: new Map(tools.map(({ path: _path, by: _by, ...tool }) => [tool.name, { ...tool, examples: [] }])),
    paths: new Map(tools.map(({ name, path }) => [`tools/${name}`, path])),
    userTools: new Set(tools.filter(({ by }) => by === 'user').map(({ name }) => name)),
    session,
    worldSchema: schema,
    startWorld: start,
  };
}
