/** `tandem chat <run>`: a reviewer asks Init about its design. The conversation is recorded and changes nothing. */
import { randomUUID } from 'node:crypto';
import { openChat, type OpenChat } from '../../app/web/open-chat.ts';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { loadConfig } from '../../config/load-config.ts';
import { loadReviewers } from '../../config/reviewers.ts';
import { HarnessError, isHarnessError, describeError, usageError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { TurnProgress } from '../../pipeline/session/session-deps.ts';
import { formatUsd } from '../../report/text/number-format.ts';
import { terminalLines, terminalText } from '../../report/text/sanitise.ts';
import { writtenOffText } from '../../report/text/write-off-text.ts';
import { listExchanges, type Exchange } from '../../run/exchanges.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { commandActor, type Call, type JsonFlag, type TextFlags, EXIT, type Io } from '../command-context.ts';
import { describeChat } from './describe-session.ts';
import { printProgress } from '../print-progress.ts';
import { createAnswerScreen, createNewsPrinter } from '../session/answer-screen.ts';
import { WORDS } from '../session/slash-command-list.ts';
import { parseTypedLine, formatWordList } from '../typing/parse-slash-command.ts';
import { readEvents, readState } from '../../run-folder/snapshot.ts';

export type ChatCommandOptions = TextFlags<'gate' | 'message' | 'profile'> & JsonFlag;

const { current, clean, help, quit } = WORDS;
/** The slash commands of a session that also work at a gate. */
const CHAT_WORDS = { current, clean, help, quit };

/** Number of earlier exchanges shown when a conversation is resumed. */
const MOST_EARLIER = 3;

type GateChat = { run: RunFolder; gate: string; chat: OpenChat; io: Io; signal: AbortSignal };

export async function chatCommand(name: string, options: ChatCommandOptions, { io, signal }: Call): Promise<number> {
  const home = findHome(io.cwd);
  const config = await loadConfig(home, { ...omitUndefined({ profile: options.profile }), env: io.env });
  const { store } = openStore(home);
  const run = await store.open(name);
  const newest = (await readState(run)).designs.at(-1);
  if (newest === undefined) throw new HarnessError('not_found', `Run ${run.id} has no design to ask about yet.`);
  const gate = options.gate ?? `HITL-1.r${newest.round}`;
  let letGo: (() => void) | undefined;
  // In a conversation, the lines would stand in the middle of what is typed.
  const progress = options.message === undefined ? () => undefined : printProgress(io);
  const chat = openChat({ home, config, env: io.env, reviewers: await loadReviewers(home), store, signal, progress });
  try {
    const talk: GateChat = { run, gate, chat, io, signal };
    if (options.message === undefined) {
      letGo = await io.holdKeys?.();
      await runChatLoop(talk);
    } else await answerOnce(talk, options.message, options.json === true);
  } finally {
    letGo?.();
    await chat.close();
  }
  return EXIT.met;
}

async function answerOnce(talk: GateChat, message: string, json: boolean): Promise<void> {
  const { io, run } = talk;
  const exchange = await sendQuestion({ text: message, fresh: false }, talk, (part) =>
    createNewsPrinter(io)(toSessionNews(part)),
  );
  const { nonce: _nonce, ...shown } = exchange;
  if (json) io.out(JSON.stringify({ run: run.id, ...shown }));
  else for (const line of [...terminalLines(exchange.answer), formatExchangeCost(exchange)]) io.out(line);
}

async function runChatLoop(talk: GateChat): Promise<void> {
  const { io, run, gate, chat, signal } = talk;
  const typed = io.ask;
  if (typed === undefined)
    throw usageError(`Nobody can type here: tandem chat ${run.id} --message "Which rules are there?"`);
  const { simulated } = await chat.reach(run);
  io.err(
    `${gate} of run ${run.id}${simulated ? ' (SIMULATED: scripts answer)' : ''}. Ask Init about its design; name files as @business_rules.yaml.`,
  );
  io.err('Nothing said here changes the design. /help lists the words, /quit leaves.');
  for (const exchange of listExchanges(await readEvents(run), gate).slice(-MOST_EARLIER)) printExchange(exchange, io);
  let fresh = false;
  for (;;) {
    const line = parseTypedLine(await typed('> ', signal, { many: true }), CHAT_WORDS);
    if (line.type === 'unknown') io.err(line.hint);
    else if (line.type === 'word') {
      if (line.word === 'quit') return;
      fresh = (await runChatCommand(line.word, talk)) || fresh;
    } else if (line.type === 'say' && line.text !== '')
      fresh = (await answerQuestion(line.text, fresh, talk)) ? false : fresh;
  }
}

/** Returns true when the next question starts a new conversation. */
async function runChatCommand(
  word: Exclude<keyof typeof CHAT_WORDS, 'quit'>,
  { run, gate, io }: GateChat,
): Promise<boolean> {
  if (word === 'help') for (const line of formatWordList(CHAT_WORDS)) io.err(line);
  if (word === 'current') for (const line of await describeChat(run, gate, findHome(io.cwd))) io.err(line);
  if (word !== 'clean') return false;
  io.err('The next question begins afresh. What was said stays on record.');
  return true;
}

/** Returns true when the question was answered. Errors are printed, and the conversation continues. */
async function answerQuestion(text: string, fresh: boolean, talk: GateChat): Promise<boolean> {
  const { io, signal } = talk;
  const ear = createAnswerScreen(io);
  try {
    const exchange = await sendQuestion({ text, fresh }, talk, (part) => ear.hear(toSessionNews(part)));
    if (!ear.spoke()) for (const line of terminalLines(exchange.answer)) io.out(line);
    ear.end();
    io.err(formatExchangeCost(exchange));
    return true;
  } catch (error) {
    ear.end();
    if (signal.aborted || !isHarnessError(error)) throw error;
    io.err(terminalText(describeError(error)));
    return false;
  }
}

function sendQuestion(
  typed: { text: string; fresh: boolean },
  { run, gate, chat, io, signal }: GateChat,
  onPart: Parameters<OpenChat['ask']>[1],
) {
  const question = { run: run.dir, gate, ...typed, actor: commandActor(io), via: 'cli', nonce: randomUUID() };
  return chat.ask(question, onPart, signal);
}

function toSessionNews(part: Parameters<Parameters<OpenChat['ask']>[1]>[0]): TurnProgress {
  if (part.type === 'looking') return { type: 'notice', detail: `looking: ${part.tools.join(', ')}` };
  return part.type === 'written_off' ? { type: 'notice', detail: writtenOffText(part.usd) } : part;
}

function printExchange({ actor, question, answer }: Exchange, io: Io): void {
  io.err(`${actor} > ${terminalText(question)}`);
  for (const line of terminalLines(answer)) io.err(`  ${line}`);
}

function formatExchangeCost({ usd: cost, seq, files }: Exchange): string {
  const along = files.length === 0 ? '' : `, with ${files.join(', ')}`;
  return `(${formatUsd(cost)}${along}; event ${seq} of the run)`;
}
