/** Limits a tool's result to a number of characters, and says how long it was (S3.9). */

/** Room for the notice, so that text and notice together keep the limit. */
const NOTICE_CHARS = 300;

/**
 * The text itself, or its head and a notice. The cut falls after a line where one ends in the second half of the head,
 * and never inside a character. `advice` gets the number of lines shown whole.
 */
export function cutText(text: string, maxChars: number, advice: (wholeLines: number) => string): string {
  if (text.length <= maxChars) return text;
  const room = Math.max(1, maxChars - NOTICE_CHARS);
  const lineEnd = text.lastIndexOf('\n', room - 1) + 1;
  const head = lineEnd > room / 2 ? text.slice(0, lineEnd) : wholeCharacters(text, room);
  const wholeLines = head.split('\n').length - 1;
  const gap = head.endsWith('\n') ? '' : '\n';
  return `${head}${gap}[cut: ${head.length} of ${text.length} characters shown. ${advice(wholeLines)}]`;
}

function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? length - 1 : length);
}
