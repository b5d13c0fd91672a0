/** The user that a model plays in an exported sample: what it has answered is in the log, so a conversation can be played again without it. */
import { modelUser } from '../../evaluation/trial/model-user.ts';
import type { SimulatedUser } from '../../evaluation/trial/simulated-user.ts';
import { HarnessError, isHarnessError, messageOf } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { NO_PRICE, type Model, type ModelResponse } from '../../ports/model.ts';
import { NO_USAGE } from '../../transcript/message.ts';
import type { AnswerLine, LoggedAction } from './actions.ts';
import type { HarborWorld } from './world-file.ts';

/** Where the log does not say yet what the user answers: its own program asks the model, every other one waits for that. */
export type LiveUser =
  | { model: Model; append: (line: AnswerLine) => void }
  | { waitFor: (action: string, nth: number) => Promise<AnswerLine | undefined> };

export type LoggedUser = SimulatedUser & {
  /** Which action is answered next; `live`: the one whose answers do not lie in the log yet. */
  turnTo: (action: LoggedAction, live?: LiveUser) => void;
};

/** Contract: an action that the log does not answer, and nobody answers live, ends as an outage of the user. */
export function loggedUser(world: HarborWorld): LoggedUser {
  const { user_model: player } = world;
  if (player === undefined)
    throw new HarnessError('data_corrupt', 'world.json does not say which model plays its user.');
  let turn: { action: LoggedAction; nth: number; live: LiveUser | undefined } | undefined;
  const model: Model = {
    async call(request, signal) {
      if (turn === undefined) throw lost('nobody has acted');
      const nth = turn.nth++;
      const { live, action } = turn;
      const waits = live !== undefined && 'waitFor' in live ? () => live.waitFor(action.id, nth) : () => undefined;
      const known = action.answers.find((line) => line.nth === nth) ?? (await waits());
      if (known?.response !== undefined) return responseOf(known.response, request.model);
      if (known?.lost !== undefined || live === undefined || 'waitFor' in live)
        throw lost(known?.lost ?? 'the log holds no answer of it');
      try {
        const { content, stopReason } = await live.model.call(request, signal);
        live.append({ answers: action.id, nth, response: { content, stop_reason: stopReason } });
        return responseOf({ content, stop_reason: stopReason }, request.model);
      } catch (error) {
        live.append({ answers: action.id, nth, lost: messageOf(error) });
        throw isHarnessError(error, 'model_unavailable') ? error : lost(messageOf(error));
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

function responseOf(
  { content, stop_reason: stopReason }: NonNullable<AnswerLine['response']>,
  model: string,
): ModelResponse {
  return { id: 'logged', model, content, stopReason, usage: NO_USAGE };
}

function lost(why: string): HarnessError {
  return new HarnessError('model_unavailable', why);
}
