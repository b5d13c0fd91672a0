/** Lets a small model choose: it is shown the menu and the talk, and answers with moves and the words that ask for them. */
import { z } from 'zod';
import { computeCost, type OutgoingMessage } from '../../ports/model.ts';
import type { Sample } from '../../scenario/sample.ts';
import { ChosenMove } from '../../scenario/trace.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { listToolUses, NO_USAGE, type ToolDefinition } from '../../transcript/message.ts';
import type { UserModel } from '../trial/model-user.ts';
import { callSubject, subjectRequest, type Subject } from '../trial/subject-turn.ts';
import { MOST_MOVES } from './check-choice.ts';
import type { Chooser, ChosenTurn } from './choosing-user.ts';
import { NONE, type Move } from './menu.ts';

/** `prompt` is `prompts/user_chooser.md`. */
export type ChooserModel = Omit<UserModel, 'tools'>;

const TOOL = 'choose_moves';
const Answer = z.object({ moves: z.array(ChosenMove).min(1) });
const MAX_TOKENS = 1024;

export function modelChooser(settings: ChooserModel, { user }: Pick<Sample, 'user'>): Chooser {
  const { model, name, price } = settings;
  const prompt = fillTemplate(settings.prompt, { firstWords: user.says_first, stopsWhen: user.stops_when });
  const talk: string[] = [`user: ${JSON.stringify(user.says_first)}`];
  return {
    name,
    async choose({ menu, said, state, fault, leftMs, hasActed }, signal): Promise<ChosenTurn> {
      const asked = [
        ...(fault === undefined ? [] : [`The last choice was refused: ${fault}\n`]),
        `What was said:\n${talk.join('\n')}\n`,
        `The user ${state.hasAgreed ? 'has agreed, and waits for the act' : 'has agreed to nothing yet'}. The agent has ${hasActed ? '' : 'not '}used its tools since.\n`,
        `Moves:\n${menu.map(({ id, means }) => `- ${JSON.stringify(id)}: ${means}`).join('\n')}\n`,
        `The agent's newest message:\n${said}`,
      ].join('\n');
      const messages: OutgoingMessage[] = [{ role: 'user', content: [{ type: 'text', text: asked }] }];
      const player: Subject = { ...settings, model: name, prompt, tools: [describeTool(menu)], maxTokens: MAX_TOKENS };
      const called = await callSubject(model, subjectRequest(player, messages), { by: 'user', leftMs, signal });
      if (called.type === 'stopped') {
        const end = { stop: called.stop, detail: `the user: ${called.detail}` };
        return { moves: [], end, usage: NO_USAGE, costUsd: 0 };
      }
      const { content, usage } = called.response;
      const answer = Answer.safeParse(listToolUses({ content })[0]?.input);
      const moves = answer.success ? answer.data.moves : [];
      if (moves.length > 0 && fault === undefined) talk.push(`agent: ${JSON.stringify(said)}`);
      if (moves.some(({ move }) => move !== NONE.id))
        talk.push(`user: ${JSON.stringify(moves.map(({ move }) => move))}`);
      return { moves, usage, costUsd: computeCost(usage, price) };
    },
  };
}

/** The ids of the menu are the enum: a move that is not on it cannot be named. */
function describeTool(menu: readonly Move[]): ToolDefinition {
  const move = { type: 'string', enum: menu.map(({ id }) => id) };
  const quote = {
    type: 'string',
    description: "The agent's words that ask for this move, copied exactly; empty for wait, end and none.",
  };
  const items = {
    type: 'object',
    properties: { move, quote },
    required: ['move', 'quote'],
    additionalProperties: false,
  };
  return {
    name: TOOL,
    description: 'Chooses what the user does next.',
    input_schema: {
      type: 'object',
      properties: { moves: { type: 'array', items, minItems: 1, maxItems: MOST_MOVES } },
      required: ['moves'],
      additionalProperties: false,
    },
  };
}
