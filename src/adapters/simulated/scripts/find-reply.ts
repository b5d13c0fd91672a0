/** What the scripts answer to a request, or a loud refusal of one that they did not foresee (docs/simulation.md). */
import { type ChosenTurn, chooseTurn } from './choose-turn.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { findLastDone } from './find-step.ts';
import { type Refused, invalid } from '../request/refusal.ts';
import { checkExpectation, checkTools, scriptedInput } from './script-calls.ts';
import { excerpt, isScriptFault, scriptFault } from './script-fault.ts';
import type { Player, ScriptStep, ScriptTurn } from './script.ts';
import { type ParsedCall, type ParsedRequest, parseRequest } from './parse-request.ts';
import type { Submission } from '../request/submission.ts';
import { writeSummary } from './summary.ts';

/** Where in the scripts a request is; steps are counted from 1. */
export type Position = { who?: string; turn?: string; step?: number | 'summary' };

export type ScriptedReply = { think?: string; say?: string; calls: ParsedCall[] };
export type ScriptMatch = { position: Position & { who: string }; answer: ScriptedReply };
export type UnmatchedRequest = { position: Position; refused: Refused };

/** The summariser thinks like any other: what it thought must not end up in the summary. */
const SUMMARY_THOUGHT = 'Weigh what must be kept.';

export function findScriptedReply(players: readonly Player[], submission: Submission): ScriptMatch | UnmatchedRequest {
  const position: Position = {};
  try {
    const parsed = parseRequest(submission.request);
    const chosen = theTurn(players, parsed);
    const who = chosen.player.script.who;
    Object.assign(position, { who, turn: chosen.turn.name });
    const answer = parsed.asksForSummary
      ? summarise(chosen.turn, { parsed, submission, position })
      : act(chosen, { parsed, submission, position });
    return { position: { ...position, who }, answer };
  } catch (error) {
    if (!isScriptFault(error)) throw error;
    return {
      position,
      refused: { ...invalid(`simulation script: ${nameOf(position)}${error.message}`), rule: 'script' },
    };
  }
}

function nameOf({ who, turn, step }: Position): string {
  if (who === undefined) return '';
  return `${who}, turn ${excerpt(turn ?? '')}${step === undefined ? '' : step === 'summary' ? ', summary' : `, step ${step}`}: `;
}

function theTurn(players: readonly Player[], parsed: ParsedRequest): ChosenTurn {
  const [chosen, rival] = chooseTurn(players, parsed);
  if (chosen === undefined) {
    const matching = players.filter(({ script }) => parsed.system.includes(script.match.system_includes));
    throw scriptFault(
      `no turn is meant. Scripts that match: ${matching.map(({ script }) => script.who).join(', ') || 'none'}; ` +
        `the system text begins ${excerpt(parsed.system)}; the newest user text is ${excerpt(parsed.userTexts.at(-1)?.text ?? '')}`,
    );
  }
  if (rival !== undefined) {
    throw scriptFault(
      `two turns have the marker ${excerpt(chosen.turn.marker)}: "${chosen.turn.name}" (${chosen.player.script.who}) and ` +
        `"${rival.turn.name}" (${rival.player.script.who}); tell them apart with unless, system_includes or system_excludes`,
    );
  }
  return chosen;
}

type ToAnswer = { parsed: ParsedRequest; submission: Submission; position: Position };

function summarise({ summary }: ScriptTurn, { parsed, submission: { request }, position }: ToAnswer): ScriptedReply {
  position.step = 'summary';
  if (summary === undefined) throw scriptFault('a summary is asked for, and the turn has none');
  const bare = (request.output_config?.format ?? undefined) !== undefined;
  return { think: SUMMARY_THOUGHT, say: writeSummary(summary, parsed, bare), calls: [] };
}

function act(chosen: ChosenTurn, { parsed, submission, position }: ToAnswer): ScriptedReply {
  const step = nextStep(chosen, parsed, position);
  checkExpectation(step, submission);
  const calls = step.calls.map((call) => ({ name: call.tool, input: scriptedInput(chosen.player, call) }));
  checkTools(calls, submission);
  const { think, say } = step;
  return omitUndefined({ calls, think, say });
}

/** Only what follows the marker counts: the same call may stand in an earlier turn. */
function nextStep({ player, turn, message }: ChosenTurn, parsed: ParsedRequest, position: Position): ScriptStep {
  const spoken = parsed.spoken.filter((reply) => reply.message > message);
  const ledger = parsed.ledger.filter((line) => line.message >= message);
  const decisions = parsed.decisions.filter((line) => line.message >= message);
  const done = findLastDone(turn.steps, { spoken, ledger, decisions, inputOf: (call) => scriptedInput(player, call) });
  const step = turn.steps[done + 1];
  if (step !== undefined) {
    position.step = done + 2;
    return step;
  }
  const newest = spoken.at(-1);
  const seen = newest === undefined ? 'nothing' : excerpt(newest.text + JSON.stringify(newest.calls));
  throw scriptFault(`all ${turn.steps.length} steps are done, and an answer is asked for; the newest one was ${seen}`);
}
