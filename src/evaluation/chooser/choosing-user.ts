/** The user that cannot be wrong: code lists what the sample allows, a chooser picks from it, code checks the pick and speaks. */
import { foldText } from '../../scenario/language/fold-text.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { findLanguage } from '../scripted-user/find-language.ts';
import { addUsage, NO_USAGE, type Usage } from '../../transcript/message.ts';
import type { SimulatedUser, UserAnswer, UserPrompt } from '../trial/simulated-user.ts';
import { findChoiceFault, isYesOrNoMove } from './check-choice.ts';
import { chooseByRules, type TurnToChoose } from './choose-by-rules.ts';
import type { KnownSample } from './known-words.ts';
import { buildMenu, digestMenu, END, NONE, WAIT, type Move, type UserState } from './menu.ts';
import { speakMoves } from './speak.ts';

export type ChosenTurn = { moves: ChosenMove[]; usage: Usage; costUsd: number; end?: UserAnswer['end'] };

/** Picks moves for one turn; `fault` is what was wrong with its last pick for the same turn. */
export type Chooser = {
  /** Name in the trace: `rules`, or the model's. */
  name: string;
  choose(
    turn: TurnToChoose & { fault: string | undefined; leftMs: number },
    signal: AbortSignal,
  ): ChosenTurn | Promise<ChosenTurn>;
};

export const rulesChooser: Chooser = {
  name: 'rules',
  choose: (turn) => ({ moves: chooseByRules(turn), usage: NO_USAGE, costUsd: 0 }),
};

/** Picks that may be wrong before the turn ends as the user's fault. */
const MOST_TRIES = 3;
/** Messages after a yes for which the user stays although the chooser would end. */
const MOST_STAYS = 3;

/** Contract: says only what the sample holds; a turn without a fitting move ends as `no_move`, which is never the subject's fault. */
export function choosingUser(sample: KnownSample, chooser: Chooser = rulesChooser): SimulatedUser {
  const state: UserState = { acts: [...(sample.user.acts ?? [])], said: new Set(), hasAgreed: false, waits: 0 };
  return {
    async answer(prompt, signal): Promise<UserAnswer> {
      const { said, hasActed = true, leftMs } = prompt;
      const menu = buildMenu(sample, state);
      const listed = findAct(state, said);
      const turn = { sample, menu, state, said, hasActed, leftMs };
      const chosen =
        listed === undefined ? await pick(turn, chooser, signal) : { moves: [listed], usage: NO_USAGE, costUsd: 0 };
      const { usage, costUsd } = chosen;
      if (chosen.end !== undefined) return { says: undefined, end: chosen.end, usage, costUsd };
      const moves = stayForAct(chosen.moves, turn);
      const event = { by: listed === undefined ? chooser.name : 'rules', menu: digestMenu(menu), moves };
      const [first] = moves;
      if (first === undefined || first.move === NONE.id)
        return { says: undefined, end: { stop: 'no_move', detail: said.trim() }, chosen: event, usage, costUsd };
      if (first.move === END.id) return { says: undefined, chosen: event, usage, costUsd };
      const acts = await performActs(moves, state, prompt.act);
      const others = moves.filter(({ move }) => !move.startsWith('act:'));
      const words = others.length === 0 ? [] : [speakMoves(others, menu, { user: sample.user, said })];
      remember(state, moves, menu);
      return { says: [...acts, ...words].join(' '), chosen: event, usage, costUsd };
    },
  };
}

/** Finds the first open act whose phrase is in the message: nothing is surer than the sample's own words. */
function findAct({ acts }: UserState, said: string): ChosenMove | undefined {
  const heard = foldText(said);
  const index = acts.findIndex(({ when }) => heard.includes(foldText(when)));
  return index < 0 ? undefined : { move: `act:${index}`, quote: acts[index]?.when ?? '' };
}

async function pick(
  turn: TurnToChoose & { leftMs: number },
  chooser: Chooser,
  signal: AbortSignal,
): Promise<ChosenTurn> {
  let fault: string | undefined;
  let spent: { usage: Usage; costUsd: number } = { usage: NO_USAGE, costUsd: 0 };
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const chosen = await chooser.choose({ ...turn, fault }, signal);
    spent = { usage: addUsage(spent.usage, chosen.usage), costUsd: spent.costUsd + chosen.costUsd };
    if (chosen.end !== undefined) return { ...chosen, ...spent };
    fault = findChoiceFault({ ...turn, moves: chosen.moves });
    if (fault === undefined) return { moves: chosen.moves, ...spent };
  }
  return { moves: [{ move: NONE.id, quote: '' }], ...spent };
}

/** A user that has said yes does not leave before the act: the end is put off while the subject has done nothing. */
function stayForAct(moves: ChosenMove[], { state, hasActed, sample }: TurnToChoose): ChosenMove[] {
  // In a language that is not read the answer may have been a no, after which nothing needs to come.
  const most = findLanguage(sample.user.says_first) === undefined ? 1 : MOST_STAYS;
  const leaves = moves[0]?.move === END.id && state.hasAgreed && !hasActed && state.waits < most;
  return leaves ? [{ move: WAIT.id, quote: '' }] : moves;
}

async function performActs(moves: readonly ChosenMove[], state: UserState, act: UserPrompt['act']): Promise<string[]> {
  const chosen = moves.flatMap(({ move }) =>
    move.startsWith('act:') ? (state.acts[Number(move.slice(4))] ?? []) : [],
  );
  for (const { calls } of chosen) for (const call of calls) await act(call);
  state.acts = state.acts.filter((one) => !chosen.includes(one));
  return chosen.map(({ says }) => says);
}

function remember(state: UserState, moves: readonly ChosenMove[], menu: readonly Move[]): void {
  for (const { move } of moves) state.said.add(move);
  const waits = moves[0]?.move === WAIT.id;
  state.waits = waits ? state.waits + 1 : 0;
  const answers = menu.filter(
    (one) => isYesOrNoMove(one) && one.kind !== 'refuse' && moves.some(({ move }) => move === one.id),
  );
  state.hasAgreed = waits ? state.hasAgreed : answers.length > 0;
}
