/** Reads one message on a terminal with the editing keys of a shell; it may have many lines or be pasted. */
import { createInterface, type Interface } from 'node:readline/promises';
import { PassThrough } from 'node:stream';
import { PromptLeft, type PromptOptions } from '../command-context.ts';
import { holdKeys, readKeys } from './keys.ts';
import { BREAK, createPasteBuffer } from './pastes.ts';

const LONGEST_HISTORY = 1000;
const LEFT = 'Left without an answer; nothing was decided.';
const pastes = createPasteBuffer();

/** Resolves with the whole message; throws `PromptLeft` when the person leaves with Ctrl-C or Ctrl-D. */
export async function typeMessage(question: string, signal: AbortSignal, typing: PromptOptions = {}): Promise<string> {
  const lines: string[] = [];
  for (;;) {
    const { begun: _begun, ...later } = typing;
    const typed = await typeLine(lines.length === 0 ? question : '… ', signal, lines.length === 0 ? typing : later);
    const found = pastes.whole(typed);
    if ('fault' in found) process.stderr.write(`${found.fault}\n`);
    else if (typed.endsWith('\\') && typing.many === true) lines.push(found.text.slice(0, -1));
    else return [...lines, found.text].join('\n');
  }
}

async function typeLine(question: string, signal: AbortSignal, typing: PromptOptions): Promise<string> {
  const { complete, history } = typing;
  const keys = new PassThrough();
  const reader = createInterface({
    ...{ input: keys, output: process.stderr, terminal: true, historySize: LONGEST_HISTORY, tabSize: 2 },
    ...(history && { history: history.map((line) => line.replaceAll('\n', BREAK)).toReversed() }),
    ...(complete && { completer: complete }),
  });
  // Before the prompt is visible: the terminal itself would echo what is pasted at once, and split it into lines.
  const release = holdKeys();
  const answer = waitForAnswer(reader, question, { signal, typing });
  const letGo = readKeys({
    hear: (chunk) => {
      const typed = pastes.feed(chunk);
      keys.write(typed);
      return !/[\r\n]/.test(typed);
    },
    end: () => keys.end(),
    back: () => reader.prompt(true),
  });
  try {
    return await answer;
  } finally {
    reader.close();
    letGo();
    release();
  }
}

type PromptInput = { signal: AbortSignal; typing: PromptOptions };

async function waitForAnswer(reader: Interface, question: string, { signal, typing }: PromptInput): Promise<string> {
  let byInterrupt = false;
  reader.on('SIGINT', () => {
    if (typing.many === true && reader.line !== '') {
      reader.write(null, { ctrl: true, name: 'e' });
      reader.write(null, { ctrl: true, name: 'u' });
      return;
    }
    byInterrupt = true;
    reader.close();
  });
  // The reader closes without an answer after Ctrl-C, Ctrl-D, or the end of the terminal's input.
  const left = new Promise<never>((_resolve, reject) => {
    reader.once('close', () => reject(new PromptLeft(LEFT, byInterrupt)));
  });
  try {
    const answer = reader.question(question, { signal });
    if (typing.begun !== undefined) reader.write(typing.begun.replaceAll('\n', BREAK));
    return await Promise.race([answer, left]);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof PromptLeft ? error : new PromptLeft(LEFT, byInterrupt);
  } finally {
    left.catch(() => undefined);
  }
}
