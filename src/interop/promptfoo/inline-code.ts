/** JavaScript in a suite: a transform of the answer, or an assertion. It becomes part of the checker, which runs in the sandbox. */
import { compileFunction } from 'node:vm';
import { describeError } from '../../errors.ts';

/** Features that a checker lacks: other modules, the process, the network, asynchronous code. */
const UNAVAILABLE_CODE = /\b(require|import|process|fetch|await|async|Promise|setTimeout|fs|globalThis|eval)\b/;
/** Parts of promptfoo's `context` other than the variables of the test, which are not available here. */
const UNKNOWN_CONTEXT = /\bcontext\.(?!vars\b)(\w+)/;
const STRINGS = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g;

/** `note` says what promptfoo does differently with the same code. */
type InlineCode = { source: string; note?: string } | { lost: string };

/** Returns the text of a function of `output` and `context`, which is compiled here but never run. */
export function readInlineCode(value: unknown): InlineCode {
  if (typeof value !== 'string' || value.trim() === '') return { lost: 'is no text' };
  const text = value.trim().replace(/;+$/, '');
  if (/^(file|package):\/\//.test(text)) return { lost: `is the file ${text}` };
  const words = text.replaceAll(STRINGS, "''");
  const missing = UNAVAILABLE_CODE.exec(words)?.[1] ?? UNKNOWN_CONTEXT.exec(words)?.[0];
  if (missing !== undefined) return { lost: `uses ${missing}, which a checker does not have` };
  const isFunction = /^(?:\(?[\w\s,{}]*\)?\s*=>|function\b)/.test(text);
  const isLines = value.trimEnd().includes('\n');
  const isStatement = /^(?:if|return|for|while|switch|try)\b/.test(text);
  const body = isFunction || !(isLines || isStatement) ? returnLast(text) : text;
  const fault = findFault(body);
  if (fault !== undefined) return { lost: `is no JavaScript (${fault})` };
  const source = isFunction ? `(${text}\n)` : `(output, context) => {\n${body}\n}`;
  if (isFunction) return { source, note: 'is a function, which promptfoo does not call: the test always fails there' };
  return isStatement && !isLines
    ? { source, note: 'is a statement in one line, which always fails in promptfoo' }
    : { source };
}

/** In one line the last expression is returned; declarations may stand before it. */
function returnLast(text: string): string {
  const whole = `return (${text}\n);`;
  if (!/^(?:const|let|var)\s/.test(text)) return whole;
  // The same text with its strings blanked out has its semicolons at the same places.
  const blank = text.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g, (one) =>
    ' '.repeat(one.length),
  );
  for (let at = blank.lastIndexOf(';'); at >= 0; at = blank.lastIndexOf(';', at - 1)) {
    const made = `${text.slice(0, at + 1)} return (${text.slice(at + 1)}\n);`;
    if (findFault(made) === undefined) return made;
  }
  return text;
}

/** Only a whole function body compiles, so the code cannot close its function early. */
function findFault(body: string): string | undefined {
  try {
    compileFunction(body, ['output', 'context']);
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}
