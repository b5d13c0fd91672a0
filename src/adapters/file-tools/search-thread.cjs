/* Searches files in a thread that can be ended. Lines are collected up to `maxChars` and counted to the end, so that the total
   is always known. */
const { parentPort, workerData } = require('node:worker_threads');
const { openSync, fstatSync, readFileSync, closeSync, constants } = require('node:fs');
const path = require('node:path');
const { kind, pattern, maxChars, subjects } = workerData;
const found = { lines: [], total: 0, skipped: [] };
let chars = 0;
/** Larger files are reported as skipped; no file that an agent works on is of this size. */
const LARGEST_FILE_BYTES = 4 * 1024 * 1024;
/** The number of characters of a longer line that are shown on each side of the match. */
const AROUND = 300;
/** The function of `decode-text.ts`, whose text is put here. */
const decodeText = '{{decodeText}}';

function addLine(line) {
  found.total += 1;
  chars += line.length + 1;
  if (chars <= maxChars) found.lines.push(line);
}

function readSubject(subject) {
  const file = openSync(
    subject.physical,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  try {
    const { size } = fstatSync(file);
    if (size <= LARGEST_FILE_BYTES) return decodeText(readFileSync(file)) ?? readFileSync(subject.physical, 'utf8');
    found.skipped.push(subject.shown + ' (' + size + ' bytes)');
    return '';
  } finally {
    closeSync(file);
  }
}

function clipLine(line, at) {
  if (line.length <= 2 * AROUND) return line;
  const from = Math.max(0, at - AROUND);
  const to = Math.min(line.length, at + AROUND);
  return (from > 0 ? '…' : '') + line.slice(from, to).toWellFormed() + (to < line.length ? '…' : '');
}

function grepSubject(subject, regex) {
  let text;
  try {
    text = readSubject(subject);
  } catch {
    return; // gone or unreadable since it was listed
  }
  if (text.includes('\0')) return; // not a text
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const match = regex.exec(line);
    if (match !== null) addLine(subject.shown + ':' + (index + 1) + ':' + clipLine(line, match.index));
  }
}

try {
  const regex = kind === 'grep' ? new RegExp(pattern) : undefined;
  for (const subject of subjects) {
    if (regex !== undefined) grepSubject(subject, regex);
    else if (path.matchesGlob(subject.name, pattern)) addLine(subject.shown);
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort.postMessage(found);
} catch (error) {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort.postMessage({ invalid: String(error.message).slice(0, 300) });
}
