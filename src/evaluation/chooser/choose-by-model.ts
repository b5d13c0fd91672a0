/** Lets a small model choose: it is shown the menu and the talk, and answers with moves and the words that ask for them. */
import { z } from 'zod';
import type { Sample } from '../../scenario/sample.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { NO_USAGE } from '../../transcript/message.ts';
import { askForInput } from '../trial/ask-for-input.ts';
import type { UserModel } from '../trial/model-user.ts';
import { MOST_MOVES } from './check-choice.ts';
import type { Chooser, ChosenTurn } from './choosing-user.ts';
import { NONE, type Move } from './menu.ts';

/** `prompt` is `prompts/user_chooser.md`. */
export type ChooserModel = Omit<UserModel, 'tools'>;

export function modelChooser(settings: ChooserModel, { user }: Pick<Sample, 'user'>): Chooser {
  const prompt = fillTemplate(settings.prompt, { firstWords: user.says_first, stopsWhen: user.stops_when });
  const talk: string[] = [`user: ${JSON.stringify(user.says_first)}`];
  return {
    name: settings.name,
    async choose({ menu, said, state, fault, leftMs, hasActed }, signal): Promise<ChosenTurn> {
      const text = [
        ...(fault === undefined ? [] : [`The last choice was refused: ${fault}\n`]),
        `What was said:\n${talk.join('\n')}\n`,
        `The user ${state.hasAgreed ? 'has agreed, and waits for the act' : 'has agreed to nothing yet'}. The agent has ${hasActed ? '' : 'not '}used its tools since.\n`,
        `Moves:\n${menu.map(({ id, means }) => `- ${JSON.stringify(id)}: ${means}`).join('\n')}\n`,
        `The agent's newest message:\n${said}`,
      ].join('\n');
      const tool = describeTool(menu);
      const asked = await askForInput({ ...settings, prompt }, { tool, texts: [text], leftMs }, signal);
      if (asked.type === 'stopped') {
        const end = { stop: asked.stop, detail: `the user: ${asked.detail}` };
        return { moves: [], end, usage: NO_USAGE, costUsd: 0 };
      }
      const { input: { moves } = { moves: [] }, usage, costUsd } = asked;
      if (moves.length > 0 && fault === undefined) talk.push(`agent: ${JSON.stringify(said)}`);
      if (moves.some(({ move }) => move !== NONE.id))
        talk.push(`user: ${JSON.stringify(moves.map(({ move }) => move))}`);
      return { moves, usage, costUsd };
    },
  };
}

const QUOTE = "The agent's words that ask for this move, copied exactly; empty for wait, end and none.";

/** The ids of the menu are the enum: a move that is not on it cannot be named. */
function describeTool(menu: readonly Move[]) {
  const move = z.strictObject({ move: z.enum(menu.map(({ id }) => id)), quote: z.string().describe(QUOTE) });
  const schema = z.strictObject({ moves: z.array(move).min(1).max(MOST_MOVES) });
  return { name: 'choose_moves', description: 'Chooses what the user does next.', schema };
}
