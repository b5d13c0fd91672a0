/** The user that a model plays in an exported sample: its answers are logged, so a conversation can be replayed without the model. */
import { modelUser } from '../../evaluation/trial/model-user.ts';
import type { SimulatedUser } from '../../evaluation/trial/simulated-user.ts';
import { HarnessError, isHarnessError, describeError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { NO_PRICE, type Model, type ModelResponse } from '../../ports/model.ts';
import { NO_USAGE } from '../../transcript/message.ts';
import type { AnswerLine, LoggedAction } from './actions.ts';
import type { HarborWorld } from './world-file.ts';

/** The source of answers that are not logged yet: one program asks the model, and every other one waits for the log. */
export type LiveUser =
  | { model: Model; append: (line: AnswerLine) => void }
  | { waitFor: (action: string, nth: number) => Promise<AnswerLine | undefined> };

export type LoggedUser = SimulatedUser & {
  /** Sets the action that is answered next; `live`: the source of its answers when they are not logged yet. */
  turnTo: (action: LoggedAction, live?: LiveUser) => void;
};

/** Contract: an action without a logged or a live answer ends as an outage of the user. */
export function loggedUser(world: HarborWorld): LoggedUser {
  const { user_model: player } = world;
  if (player === undefined)
    throw new HarnessError('data_corrupt', 'world.json does not say which model plays its user.');
  let turn: { action: LoggedAction; nth: number; live: LiveUser | undefined } | undefined;
  const model: Model = {
    async call(request, signal) {
      if (turn === undefined) throw createLostError('nobody has acted');
      const nth = turn.nth++;
      const { live, action } = turn;
      const waits = live !== undefined && 'waitFor' in live ? () => live.waitFor(action.id, nth) : () => undefined;
      const known = action.answers.find((line) => line.nth === nth) ?? (await waits());
      if (known?.response !== undefined) return toLoggedResponse(known.response, request.model);
      if (known?.lost !== undefined || live === undefined || 'waitFor' in live)
        throw createLostError(known?.lost ?? 'the log holds no answer of it');
      try {
        const { content, stopReason } = await live.model.call(request, signal);
        live.append({ answers: action.id, nth, response: { content, stop_reason: stopReason } });
        return toLoggedResponse({ content, stop_reason: stopReason }, request.model);
      } catch (error) {
        live.append({ answers: action.id, nth, lost: describeError(error) });
        throw isHarnessError(error, 'model_unavailable') ? error : createLostError(describeError(error));
      }
    },
  };
  const tools = world.tools
    .filter(({ by }) => by === 'user')
    .map(({ name, description, input_schema }) => ({ name, description, input_schema }));
  const { model: name, prompt, max_tokens: maxTokens, thinking } = player;
  const user = modelUser(
    { model, name, price: NO_PRICE, prompt, tools, maxTokens, ...omitUndefined({ thinking }) },
    world,
  );
  return {
    ...user,
    turnTo: (action, live) => {
      turn = { action, nth: 0, live };
    },
  };
}

function toLoggedResponse(
  { content, stop_reason: stopReason }: NonNullable<AnswerLine['response']>,
  model: string,
): ModelResponse {
  return { id: 'logged', model, content, stopReason, usage: NO_USAGE };
}

function createLostError(why: string): HarnessError {
  return new HarnessError('model_unavailable', why);
}
