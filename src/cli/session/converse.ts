/** Runs a session on the terminal: a prompt, an answer, a dim status line, and the prompt again. */
import { isHarnessError, describeError } from '../../errors.ts';
import { listNamedParts } from '../../pipeline/session/named-parts.ts';
import type { TurnResult } from '../../pipeline/session/take-turn.ts';
import type { TurnListener } from '../../pipeline/session/session-deps.ts';
import { terminalLines, terminalText } from '../../report/text/sanitise.ts';
import { createPaint } from '../../report/text/terminal-colors.ts';
import { EXIT, PromptLeft, type PromptOptions } from '../command-context.ts';
import { createAnswerScreen } from './answer-screen.ts';
import { explainFailedTurn, type TerminalSession } from './terminal-session.ts';
import { formatStatusLine, runSlashCommand } from './slash-commands.ts';
import { listOwnWords, readInput, WORDS } from './slash-command-list.ts';
import { listVisibleFiles } from '../../pipeline/session/attachments.ts';
import { READABLE_OF_RUNS } from '../../pipeline/chat/mentioned-files.ts';
import { join } from 'node:path';

/** Number of earlier turns shown when a session is resumed. */
const MOST_EARLIER = 3;

export async function holdConversation(talk: TerminalSession): Promise<number> {
  const letGo = await talk.call.io.holdKeys?.();
  try {
    return await converseUntilExit(talk);
  } finally {
    letGo?.();
  }
}

async function converseUntilExit(talk: TerminalSession): Promise<number> {
  const { call, conversation, home } = talk;
  const { io } = call;
  await printGreeting(talk);
  await showAnswer(talk, (listener) => conversation.finish(listener));
  const history = conversation.now.turns.map(({ text }) => text).filter((text) => text !== '');
  const complete = createCompleter({
    ...{ cwd: io.cwd, runDir: conversation.now.run?.dir },
    words: [...Object.keys(WORDS), ...listOwnWords(home)],
    parts: async () => [...listNamedParts(await talk.app.deps.agentOf(conversation.now)).keys()],
  });
  let [isArmed, begun]: [boolean, string | undefined] = [false, undefined];
  for (;;) {
    const line = await readPromptLine(talk, { history, complete, many: true, ...(begun !== undefined && { begun }) });
    begun = undefined;
    if (line === 'end') return EXIT.met;
    if (line === 'interrupt') {
      if (isArmed) return EXIT.interrupted;
      isArmed = true;
      io.err('Ctrl-C once more leaves; tandem session --resume goes on.');
      continue;
    }
    isArmed = false;
    if (line.text.trim() === '') continue;
    history.push(line.text);
    const meant = await readInput(line.text, home);
    if (meant.type === 'unknown') io.err(meant.hint);
    else if (meant.type === 'word') {
      const { word, rest } = meant;
      if (word === 'quit') return EXIT.met;
      const slash = await withErrorReport(talk, () =>
        runSlashCommand(word, rest, { ...talk, answer: (take) => showAnswer(talk, take) }),
      );
      begun = slash?.begun;
    } else {
      const { text } = meant;
      const result = await showAnswer(talk, (listener) =>
        conversation.say({ text, cwd: io.cwd, via: 'cli' }, listener),
      );
      isArmed = result?.turn.end?.end === 'stopped';
    }
  }
}

async function printGreeting({ conversation: { now }, folder, app, call: { io } }: TerminalSession): Promise<void> {
  const attached = now.run === undefined ? '' : `, attached to run ${now.run.id}, which can only be read`;
  const simulated = app.simulated ? ' (SIMULATED: scripts answer)' : '';
  io.err(`session ${folder.id} with ${now.agent}${attached}${simulated}. /help lists the words.`);
  for (const { text, end } of now.turns.slice(-MOST_EARLIER))
    if (end !== undefined) io.err(terminalText(`${text === '' ? '/compact' : text} (${end.end})`));
  if (now.open !== undefined)
    io.err(`Turn ${now.open.turn} was cut off and goes on: ${terminalText(now.open.text).slice(0, 200)}`);
}

type PromptLine = { text: string } | 'end' | 'interrupt';

async function readPromptLine(
  { call: { io, signal } }: TerminalSession,
  typing: Parameters<NonNullable<typeof io.ask>>[2],
): Promise<PromptLine> {
  try {
    return { text: (await io.ask?.('> ', signal, typing)) ?? '' };
  } catch (error) {
    if (!(error instanceof PromptLeft)) throw error;
    io.err('');
    return error.byInterrupt ? 'interrupt' : 'end';
  }
}

/** Ctrl-C stops the answer and stores the part so far; a second Ctrl-C ends the program, which loses nothing either. */
async function showAnswer(
  talk: TerminalSession,
  take: (listener: TurnListener) => Promise<TurnResult | undefined>,
): Promise<TurnResult | undefined> {
  const { io, signal } = talk.call;
  const stop = new AbortController();
  const letGo = io.holdInterrupt?.(() => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort(new Error('A person stopped the answer.'));
  });
  const screen = createAnswerScreen(io);
  try {
    return await withErrorReport(talk, async () => {
      const result = await take({ heard: screen.hear, signal: AbortSignal.any([signal, stop.signal]) });
      if (result === undefined) return undefined;
      if (!screen.spoke() && result.text !== '') for (const line of terminalLines(result.text)) io.out(line);
      screen.end();
      await printTurnEnd(talk, result);
      return result;
    });
  } finally {
    screen.end();
    letGo?.();
  }
}

async function printTurnEnd(talk: TerminalSession, result: TurnResult): Promise<void> {
  const { io } = talk.call;
  const { end } = result.turn.end ?? {};
  if (end === 'stopped') io.err('Stopped. What was written stays in the conversation.');
  if (end === 'failed') for (const line of terminalLines(explainFailedTurn(result, talk.folder.id))) io.err(line);
  io.err(createPaint(io.screen?.color === true)('dim', await formatStatusLine(talk)));
}

/** Prints an error that a person can fix, and the session continues. */
async function withErrorReport<Value>(
  { call: { io, signal } }: TerminalSession,
  work: () => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || !isHarnessError(error) || error.code === 'attempt_lost') throw error;
    for (const line of terminalLines(describeError(error))) io.err(line);
    return undefined;
  }
}

/** Matches as a mention does: Chinese text may stand right before the @, and an e-mail address is no mention. */
const LAST_MENTION = /(?<![\p{N}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])@([\p{L}\p{N}_./-]*)$/u;

/** `parts` lists the tools, skills and sub-agents that can be named. */
type CompleterInput = {
  cwd: string;
  runDir: string | undefined;
  words: readonly string[];
  parts: () => Promise<readonly string[]>;
};

/** Tab completion in a session: slash commands, and after an @ anywhere in the line the names of files and folders. */
function createCompleter({ cwd, runDir, words, parts }: CompleterInput): NonNullable<PromptOptions['complete']> {
  return async (line) => {
    const slash = /^\/([a-z-]*)$/.exec(line);
    if (slash !== null) return [words.map((word) => `/${word}`).filter((word) => word.startsWith(line)), line];
    const begun = LAST_MENTION.exec(line)?.[1];
    if (begun === undefined) return [[], line];
    const names = [...(await listFileNames(cwd, '')), ...(await listRunNames(runDir)), ...(await parts())];
    return [listNextNames(begun, names).map((name) => `@${name}`), `@${begun}`];
  };
}

/** Completes one folder level at a time: returns the matching names up to the next slash. */
function listNextNames(begun: string, names: readonly string[]): string[] {
  const found = names
    .filter((name) => name.startsWith(begun))
    .map((name) => {
      const slash = name.indexOf('/', begun.length);
      return slash === -1 ? name : name.slice(0, slash + 1);
    });
  return [...new Set(found)].toSorted();
}

async function listFileNames(root: string, top: string): Promise<string[]> {
  return (await listVisibleFiles(join(root, top))).map((path) => join(top, path));
}

async function listRunNames(dir: string | undefined): Promise<string[]> {
  if (dir === undefined) return [];
  return (await Promise.all(READABLE_OF_RUNS.map((top) => listFileNames(dir, top)))).flat();
}
