/** Reads the keyboard: keys typed while no prompt is open appear in the next one. */
import { BREAK } from './pastes.ts';

/** Terminals that support bracketed paste put marks around pasted text. */
const MARK_PASTES = '\u001B[?2004h';
const NO_MARKS = '\u001B[?2004l';
const CTRL_C = '\u0003';
const CTRL_Z = '\u001A';
/** Longer than a signal needs to stop this process. */
const ASLEEP_MS = 100;

export type KeyReader = {
  /** Returns false when it takes no more keys: the rest is for the next reader. */
  hear: (keys: string) => boolean;
  end: () => void;
  /** Called after the program was in the background: the typed text must be drawn again. */
  back: () => void;
};

let [holders, isOver]: [number, boolean] = [0, false];
let ahead: string[] = [];
let reader: KeyReader | undefined;

/** Keeps all keys from now on; the returned function releases the terminal. Ctrl-C and Ctrl-Z still work. */
export function holdKeys(): () => void {
  holders += 1;
  if (holders === 1) startCapture();
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    holders -= 1;
    if (holders === 0) stopCapture();
  };
}

/** Allows one reader at a time, which first gets the keys typed before. */
export function readKeys(next: KeyReader): () => void {
  const letGo = holdKeys();
  reader = next;
  const before = ahead.splice(0);
  for (const keys of before) deliverKeys(keys);
  if (isOver) next.end();
  return () => {
    if (reader === next) reader = undefined;
    letGo();
  };
}

function startCapture(): void {
  const { stdin, stderr } = process;
  stdin.setRawMode(true);
  stderr.write(MARK_PASTES);
  stdin.setEncoding('utf8').on('data', handleChunk).once('end', endInput).resume();
  process.on('SIGINT', setKeysAside).once('exit', stopPasteMarks);
}

function stopCapture(): void {
  const { stdin } = process;
  ahead = [];
  stdin.off('data', handleChunk).off('end', endInput).pause();
  stdin.setRawMode(false);
  process.off('SIGINT', setKeysAside).off('exit', stopPasteMarks);
  stopPasteMarks();
}

const stopPasteMarks = (): void => void process.stderr.write(NO_MARKS);

function endInput(): void {
  isOver = true;
  reader?.end();
}

function handleChunk(chunk: Buffer | string): void {
  for (const keys of chunk.toString().split(/([\u0003\u001A])/)) {
    if (keys === CTRL_Z) suspendProcess();
    else if (keys === CTRL_C && reader === undefined) process.kill(process.pid, 'SIGINT');
    else if (keys !== '') deliverKeys(keys);
  }
}

function deliverKeys(keys: string): void {
  if (reader === undefined) ahead.push(keys);
  else if (!reader.hear(keys)) reader = undefined;
}

/** Keeps typed text from being sent by itself: a person who stops an answer wants to see it first. */
function setKeysAside(): void {
  const text = ahead.join('').replace(/[\r\n]+$/, '');
  ahead = text === '' ? [] : [text.replaceAll(/\r\n|\r|\n/g, BREAK)];
}

/** Suspends all processes of the command and the one that started it, as Ctrl-Z does in a terminal that is not raw. */
function suspendProcess(): void {
  process.stdin.setRawMode(false);
  stopPasteMarks();
  process.kill(0, 'SIGTSTP');
  setTimeout(() => {
    if (holders === 0) return;
    process.stdin.setRawMode(true);
    process.stderr.write(MARK_PASTES);
    reader?.back();
  }, ASLEEP_MS);
}
