/** Keyboard input: what is typed while nobody reads appears in the next prompt. */
import { BREAK } from './pastes.ts';

/** Terminals that know of it put marks around what is pasted. */
const MARK_PASTES = '\u001B[?2004h';
const NO_MARKS = '\u001B[?2004l';
const CTRL_C = '\u0003';
const CTRL_Z = '\u001A';
/** Longer than a signal takes to stop this process. */
const ASLEEP_MS = 100;

export type KeyReader = {
  /** False when it takes no more: the rest is for who reads next. */
  hear: (keys: string) => boolean;
  end: () => void;
  /** The program was in the background: what is typed has to be drawn again. */
  back: () => void;
};

let [holders, isOver]: [number, boolean] = [0, false];
let ahead: string[] = [];
let reader: KeyReader | undefined;

/** From now on keys are lost no more; resolves with what lets the terminal go. Ctrl-C and Ctrl-Z act as ever. */
export function holdKeys(): () => void {
  holders += 1;
  if (holders === 1) take();
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    holders -= 1;
    if (holders === 0) giveBack();
  };
}

/** Contract: one at a time; begins with what was typed ahead. */
export function readKeys(next: KeyReader): () => void {
  const letGo = holdKeys();
  reader = next;
  const before = ahead.splice(0);
  for (const keys of before) heard(keys);
  if (isOver) next.end();
  return () => {
    if (reader === next) reader = undefined;
    letGo();
  };
}

function take(): void {
  const { stdin, stderr } = process;
  stdin.setRawMode(true);
  stderr.write(MARK_PASTES);
  stdin.setEncoding('utf8').on('data', pressed).once('end', over).resume();
  process.on('SIGINT', setAside).once('exit', unmark);
}

function giveBack(): void {
  const { stdin } = process;
  ahead = [];
  stdin.off('data', pressed).off('end', over).pause();
  stdin.setRawMode(false);
  process.off('SIGINT', setAside).off('exit', unmark);
  unmark();
}

const unmark = (): void => void process.stderr.write(NO_MARKS);

function over(): void {
  isOver = true;
  reader?.end();
}

function pressed(chunk: Buffer | string): void {
  for (const keys of chunk.toString().split(/([\u0003\u001A])/)) {
    if (keys === CTRL_Z) sleep();
    else if (keys === CTRL_C && reader === undefined) process.kill(process.pid, 'SIGINT');
    else if (keys !== '') heard(keys);
  }
}

function heard(keys: string): void {
  if (reader === undefined) ahead.push(keys);
  else if (!reader.hear(keys)) reader = undefined;
}

/** What was typed until then is not sent by itself: who stops an answer wants to look first. */
function setAside(): void {
  const text = ahead.join('').replace(/[\r\n]+$/, '');
  ahead = text === '' ? [] : [text.replaceAll(/\r\n|\r|\n/g, BREAK)];
}

/** As the key does in a terminal that is not raw: everybody of the command sleeps, whoever started it too. */
function sleep(): void {
  process.stdin.setRawMode(false);
  unmark();
  process.kill(0, 'SIGTSTP');
  setTimeout(() => {
    if (holders === 0) return;
    process.stdin.setRawMode(true);
    process.stderr.write(MARK_PASTES);
    reader?.back();
  }, ASLEEP_MS);
}
