/** Shortens long results of retained steps to head, error lines and tail, the oldest first (S0.11). */
import { takeHeadByTokens, takeHead, takeTailByTokens, estimateText } from '../../transcript/tokens.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import type { Policy } from '../policy.ts';
import { onePath } from '../fact-tags.ts';
import { toolResultsIn, type Pass } from './cut-draft.ts';

/** Begins the last line of a result that was compressed by its tool's rule. */
export const COMPRESSED = '\n[compressed; ';

const ERROR_LINE =
  /error|exception|traceback|fatal|panic|fail(?:ed|ure|s)\b|denied|refused|timed? ?out|^\s*at \S+ ?\(|错误|失败|异常|拒绝/i;
const ERROR_LINE_CHARS = 300;

export const shortenLongResults: Pass<'shorten-long-results'> = function* (draft, { units, policy }) {
  let shortened = draft.shortened;
  for (const unit of units.slice(draft.keepFrom))
    for (const { id, block, path, text: whole } of toolResultsIn(unit)) {
      const { tool_use_id: call } = block;
      const edited = Object.hasOwn(shortened, call) ? shortened[call] : undefined;
      // A result that was shortened before stays as it is; one that a rule only compressed may still be too long.
      if (edited !== undefined && !edited.includes(COMPRESSED)) continue;
      const text = shortenText(edited ?? whole, policy.longResult, pointerText(policy, id, path));
      if (text === undefined) continue;
      shortened = { ...shortened, [call]: text };
      yield { draft: { ...draft, shortened }, detail: `the result of ${call} in ${id} is shortened` };
    }
};

/** Undefined when the text is short enough already, or would not get shorter. */
export function shortenText(text: string, limits: Policy['longResult'], where: string): string | undefined {
  if (estimateText(text) <= limits.over) return undefined;
  const head = takeHeadByTokens(text, limits.head);
  const tail = takeTailByTokens(text.slice(head.length), limits.tail);
  const middle = text.slice(head.length, text.length - tail.length);
  const errors = errorLines(middle, limits.errors);
  const omitted = middle.length - errors.reduce((sum, line) => sum + line.length, 0);
  const errorPart = errors.length > 0 ? [`Lines of it that speak of errors:`, ...errors] : [];
  const result = [head, `[... ${omitted} chars omitted ...]`, ...errorPart, tail, `[full text: ${where}]`].join('\n');
  return result.length < text.length ? result : undefined;
}

/** Error lines of the middle, which head and tail alone would lose (docs/internals/compaction-cases.md T20). */
export function errorLines(middle: string, tokens: number): string[] {
  const found: string[] = [];
  let left = tokens;
  for (const line of middle.split('\n')) {
    const place = line.search(ERROR_LINE);
    if (place < 0) continue;
    const piece = takeHead(line.slice(Math.max(0, place - ERROR_LINE_CHARS / 2)), ERROR_LINE_CHARS).toWellFormed();
    left -= estimateText(piece);
    if (left < 0) break;
    found.push(piece);
  }
  return found;
}

/** Returns the text that tells where the whole result can be found. */
export function pointerText(policy: Policy, id: string, path: string | undefined): string {
  const place = fillTemplate(policy.longResult.fullText, { id });
  return path === undefined ? place : `${place}, file ${takeHead(onePath(path), ERROR_LINE_CHARS)}`;
}
