/** Finds the scripts' reply to a request, or fails loudly for one that they did not foresee (docs/internals/simulation.md). */
import { readFileSync } from 'node:fs';
import { omitUndefined } from '../../../omit-undefined.ts';
import { createConfigError, describeError, isHarnessError } from '../../../errors.ts';
import { findLastDone } from './find-step.ts';
import type { Submission } from '../request/submission.ts';
import { type Refused, invalidRequest } from '../request/refusal.ts';
import type { Player, ScriptStep, ScriptTurn, ScriptCall } from './script.ts';
import { type ParsedCall, type ParsedRequest, parseRequest } from './parse-request.ts';
import { writeSummary } from './summary-fields.ts';
import { findContentFile } from './content-file.ts';

/** The position of a request in the scripts; steps are counted from 1. */
export type Position = { who?: string; turn?: string; step?: number | 'summary' };

export type ScriptedReply = { think?: string; say?: string; calls: ParsedCall[] };
export type ScriptMatch = { position: Position & { who: string }; answer: ScriptedReply };
export type UnmatchedRequest = { position: Position; refused: Refused };

/** The summariser thinks like any model call, and its thinking must not end up in the summary. */
const SUMMARY_THOUGHT = 'Weigh what must be kept.';

/** The usual mistake of a person who has changed the brief but not the scripts. */
const UNFIT =
  'The offline model plays scripts (docs/simulation.md) and reads no brief: they do not fit this scenario. Change them, or set ANTHROPIC_API_KEY, and a model answers';

export function findScriptedReply(players: readonly Player[], submission: Submission): ScriptMatch | UnmatchedRequest {
  const position: Position = {};
  try {
    const parsed = parseRequest(submission.request);
    const chosen = onlyTurn(players, parsed);
    const who = chosen.player.script.who;
    Object.assign(position, { who, turn: chosen.turn.name });
    const answer = parsed.asksForSummary
      ? replyWithSummary(chosen.turn, { parsed, submission, position })
      : replyWithStep(chosen, { parsed, submission, position });
    return { position: { ...position, who }, answer };
  } catch (error) {
    // Any other error is a fault of our own, and none of the scripts.
    if (!isHarnessError(error, 'config_invalid')) throw error;
    const message = `simulation script: ${formatPosition(position)}${error.message}. ${UNFIT}`;
    return { position, refused: { ...invalidRequest(message), rule: 'script' } };
  }
}

function formatPosition({ who, turn, step }: Position): string {
  if (who === undefined) return '';
  return `${who}, turn ${quoteExcerpt(turn ?? '')}${step === undefined ? '' : step === 'summary' ? ', summary' : `, step ${step}`}: `;
}

function onlyTurn(players: readonly Player[], parsed: ParsedRequest): ChosenTurn {
  const [chosen, rival] = chooseTurn(players, parsed);
  if (chosen === undefined) {
    const matching = players.filter(({ script }) => parsed.system.includes(script.match.system_includes));
    throw createConfigError(
      `no turn is meant. Scripts that match: ${matching.map(({ script }) => script.who).join(', ') || 'none'}; ` +
        `the system text begins ${quoteExcerpt(parsed.system)}; the newest user text is ${quoteExcerpt(parsed.userTexts.at(-1)?.text ?? '')}`,
    );
  }
  if (rival !== undefined) {
    throw createConfigError(
      `two turns have the marker ${quoteExcerpt(chosen.turn.marker)}: "${chosen.turn.name}" (${chosen.player.script.who}) and ` +
        `"${rival.turn.name}" (${rival.player.script.who}); tell them apart with unless, system_includes or system_excludes`,
    );
  }
  return chosen;
}

type ToAnswer = { parsed: ParsedRequest; submission: Submission; position: Position };

function replyWithSummary({ summary }: ScriptTurn, { parsed, submission, position }: ToAnswer): ScriptedReply {
  position.step = 'summary';
  if (summary === undefined) throw createConfigError('a summary is asked for, and the turn has none');
  const bare = (submission.request.output_config?.format ?? undefined) !== undefined;
  return { think: SUMMARY_THOUGHT, say: writeSummary(summary, parsed, bare), calls: [] };
}

function replyWithStep(chosen: ChosenTurn, { parsed, submission, position }: ToAnswer): ScriptedReply {
  const step = nextStep(chosen, parsed, position);
  checkExpectation(step, submission);
  const calls = step.calls.map((call) => ({ name: call.tool, input: scriptedInput(chosen.player, call) }));
  checkTools(calls, submission);
  const { think, say } = step;
  return omitUndefined({ calls, think, say });
}

/** Searches only after the marker, because an earlier turn may have the same call. */
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
  const seen = newest === undefined ? 'nothing' : quoteExcerpt(newest.text + JSON.stringify(newest.calls));
  throw createConfigError(
    `all ${turn.steps.length} steps are done, and an answer is asked for; the newest one was ${seen}`,
  );
}

/** The turn of the script that a request belongs to: the one whose marker is latest in the user text. */
type ChosenTurn = {
  player: Player;
  turn: ScriptTurn;
  /** The message that holds the marker. */ message: number;
};

type Candidate = ChosenTurn & { text: number; offset: number };

/** Returns all candidates at the very same place; when there are several, none can be chosen. */
function chooseTurn(players: readonly Player[], request: ParsedRequest): ChosenTurn[] {
  const candidates = players
    .filter(({ script }) => request.system.includes(script.match.system_includes))
    .flatMap((player) => player.script.turns.map((turn) => ({ player, turn })))
    .filter(({ turn }) => isMeant(turn, request))
    .flatMap(({ player, turn }): Candidate[] => {
      const text =
        turn.marker === ''
          ? newTextIn(request)
          : request.userTexts.findLastIndex((user) => user.text.includes(turn.marker));
      const found = request.userTexts[text];
      if (found === undefined) return [];
      const offset = turn.marker === '' ? -1 : found.text.lastIndexOf(turn.marker);
      return [{ player, turn, message: found.message, text, offset }];
    })
    .toSorted((a, b) => compareCandidates(b, a));
  const [first] = candidates;
  return first === undefined ? [] : candidates.filter((other) => compareCandidates(first, other) === 0);
}

/** Finds the first text after the last answer that ended a turn. */
function newTextIn({ spoken, userTexts }: ParsedRequest): number {
  const ended = spoken.findLast(({ calls }) => calls.length === 0)?.message ?? -1;
  return userTexts.findIndex(({ message }) => message > ended);
}

/** Sorts by position; at the same position the longer marker wins, because it is more specific. */
function compareCandidates(a: Candidate, b: Candidate): number {
  return a.text - b.text || a.offset - b.offset || a.turn.marker.length - b.turn.marker.length;
}

function isMeant(turn: ScriptTurn, { system, userTexts }: ParsedRequest): boolean {
  if (turn.system_includes !== undefined && !system.includes(turn.system_includes)) return false;
  if (turn.system_excludes !== undefined && system.includes(turn.system_excludes)) return false;
  const { unless } = turn;
  return unless === undefined || !userTexts.some(({ text }) => text.includes(unless));
}

/** Reads the content file at each call, because the folder may change while the server runs. */
function scriptedInput({ dir }: Player, { tool, input, content_file: name }: ScriptCall): Record<string, unknown> {
  if (name === undefined) return input;
  if (dir === undefined)
    throw createConfigError(`the content file ${name} of ${tool} belongs to a script without a folder`);
  const found = findContentFile(dir, name);
  if (found.path === undefined) throw createConfigError(`the content file of ${tool}: ${found.fault}`);
  try {
    return { ...input, content: readFileSync(found.path, 'utf8') };
  } catch (error) {
    throw createConfigError(`the content file of ${tool}: ${name} cannot be read: ${describeError(error)}`);
  }
}

/** Searches the tool results of the newest user turn, and the text next to them. */
function checkExpectation({ expects }: ScriptStep, { turns }: Submission): void {
  if (expects === undefined) return;
  const seen = (turns.findLast(({ role }) => role === 'user')?.blocks ?? [])
    .flatMap(({ block }) => {
      if (block.type === 'text') return [block.text];
      if (block.type !== 'tool_result' || block.content === undefined) return [];
      if (typeof block.content === 'string') return [block.content];
      return block.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    })
    .join('\n');
  if (!seen.includes(expects)) {
    throw createConfigError(`expected ${quoteExcerpt(expects)} in what came back, and saw ${quoteExcerpt(seen, 600)}`);
  }
}

/** Refuses calls of tools that are not offered, which a real model would never make. */
function checkTools(calls: readonly ParsedCall[], { request }: Submission): void {
  const offered = (request.tools ?? []).map(({ name }) => name);
  const missing = calls.find(({ name }) => !offered.includes(name));
  if (missing !== undefined) {
    const offer = offered.join(', ') || 'none';
    throw createConfigError(`the tool ${missing.name} is called, and the request offers ${offer}`);
  }
  const choice = request.tool_choice;
  if (calls.length > 0 && choice?.type === 'none') throw createConfigError('tools are called, and tool_choice is none');
  const takesOne = choice?.type !== 'none' && choice?.disable_parallel_tool_use === true;
  if (calls.length > 1 && takesOne) {
    throw createConfigError('several tools are called, and the request takes one at a time');
  }
}

/** Quotes a text on one line, shortened for the reader. */
function quoteExcerpt(text: string, length = 240): string {
  return JSON.stringify(text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text);
}
