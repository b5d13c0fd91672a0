/** The user that cannot be wrong: code lists what the sample allows, a chooser picks from it, code checks the pick and speaks. */
import { foldText } from '../../scenario/language/fold-text.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { findLanguage } from '../scripted-user/languages.ts';
import { addUsage, NO_USAGE, type Usage } from '../../transcript/message.ts';
import type { SimulatedUser, UserAnswer, UserPrompt } from '../trial/simulated-user.ts';
import type { TrialCall } from '../components/trial-record.ts';
import { findChoiceFault, isYes, isYesOrNoMove } from './check-choice.ts';
import { chooseByRules } from './choose-by-rules.ts';
import { listReadNames, type KnownSample } from './content-words.ts';
import { buildMenu, digestMenu, END, mayBeYes, NONE, WAIT, WISH, type TurnToChoose, type UserState } from './menu.ts';
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
/** Contract: says only what the sample holds; a turn without a fitting move ends as `no_move`, which is never the subject's fault. */
export function choosingUser(sample: KnownSample, chooser: Chooser = rulesChooser): SimulatedUser {
  const { acts = [] } = sample.user;
  const state: UserState = { acts: [...acts], said: new Set(), hasAgreed: false, waits: 0, changes: 0 };
  return {
    async answer(prompt, signal): Promise<UserAnswer> {
      const { said, hasActed = true, calls, leftMs } = prompt;
      const changes = countChanges(calls ?? []);
      // A yes is used up by the act; a call that only reads does not use it up.
      if (calls === undefined ? hasActed : changes > state.changes) state.hasAgreed = false;
      state.changes = changes;
      const isDone = hasDoneAll(sample, calls ?? []);
      const menu = buildMenu(sample, state);
      const listed = findAct(state, said);
      const readNames = listReadNames(calls ?? []);
      const turn = { sample, menu, state, said, hasActed, isDone, isOver: isDone && changes > 0, readNames, leftMs };
      const chosen =
        listed === undefined ? await pick(turn, chooser, signal) : { moves: [listed], usage: NO_USAGE, costUsd: 0 };
      const { usage, costUsd } = chosen;
      if (chosen.end !== undefined) return { says: undefined, end: chosen.end, usage, costUsd };
      const moves = stayForAct(chosen.moves, turn, prompt.leftSteps);
      const event = { by: listed === undefined ? chooser.name : 'rules', menu: digestMenu(menu), moves };
      const [first] = moves;
      if (first === undefined || first.move === NONE.id)
        return { says: undefined, end: { stop: 'no_move', detail: said.trim() }, chosen: event, usage, costUsd };
      if (first.move === END.id) return { says: undefined, chosen: event, usage, costUsd };
      const acts = await performActs(moves, state, prompt.act);
      const others = moves.filter(({ move }) => !move.startsWith('act:'));
      const words = others.length === 0 ? [] : [speakMoves(others, turn)];
      remember(moves, turn);
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
  return { moves: [], end: { stop: 'no_move', detail: `${turn.said.trim()} (${fault})` }, ...spent };
}

const countChanges = (calls: readonly TrialCall[]): number =>
  calls.filter(({ by, change }) => by === undefined && change.length > 0).length;

/** True when each call of gold was made with success, as often as gold makes it. */
function hasDoneAll({ gold }: KnownSample, calls: readonly TrialCall[]): boolean {
  const wanted = gold.flatMap((step) => ('tool' in step ? [step.tool] : []));
  const made = calls.filter(({ is_error: failed }) => !failed).map(({ tool }) => tool);
  const countIn = (all: readonly string[], tool: string): number => all.filter((one) => one === tool).length;
  return wanted.length > 0 && wanted.every((tool) => countIn(made, tool) >= countIn(wanted, tool));
}

/** A user that has said yes stays for the act until it is done, no step is left, or the subject only repeats itself. */
function stayForAct(moves: ChosenMove[], turn: TurnToChoose, leftSteps = 2): ChosenMove[] {
  const { state, said, sample, isDone } = turn;
  const [first] = moves;
  if (!state.hasAgreed || (first?.move !== WAIT.id && (first?.move !== END.id || isDone))) return moves;
  const goesOn = leftSteps > 1 && said !== state.heard && (state.waits === 0 || expectsAct(sample));
  return [{ move: goesOn ? WAIT.id : END.id, quote: '' }];
}

/** In a language that is not read an answer may have been a no, unless gold goes on with an act after it. */
const expectsAct = ({ user, gold }: KnownSample): boolean =>
  findLanguage(user.says_first) !== undefined ||
  gold.slice(gold.findLastIndex((step) => 'user' in step) + 1).some((step) => 'tool' in step);

async function performActs(moves: readonly ChosenMove[], state: UserState, act: UserPrompt['act']): Promise<string[]> {
  const chosen = moves.flatMap(({ move }) =>
    move.startsWith('act:') ? (state.acts[Number(move.slice(4))] ?? []) : [],
  );
  for (const { calls } of chosen) for (const call of calls) await act(call);
  state.acts = state.acts.filter((one) => !chosen.includes(one));
  return chosen.map(({ says }) => says);
}

function remember(moves: readonly ChosenMove[], { state, sample, menu, said }: TurnToChoose): void {
  state.heard = said;
  for (const { move } of moves) state.said.add(move);
  state.waits = moves[0]?.move === WAIT.id ? state.waits + 1 : 0;
  // Whoever only says what it came for has agreed to nothing.
  if (moves[0]?.move === WISH.id) return;
  const answers = menu.filter(
    (one) => (isYesOrNoMove(one) || mayBeYes(one, sample.user)) && moves.some(({ move }) => move === one.id),
  );
  if (answers.length > 0) state.hasAgreed = answers.some((one) => isYes(one, sample));
}
