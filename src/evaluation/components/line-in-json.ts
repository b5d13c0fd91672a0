/** Finds the line of a JSON file that a fault is about, by its JSON pointer. */
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';

/** `fault` begins with a JSON pointer and a colon; undefined when there is nothing at that place. */
export function lineInJson(text: string, fault: string): number | undefined {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, strict: false, logLevel: 'silent' });
  const pointer = /^\/([^:]*):/.exec(fault)?.[1];
  if (pointer === undefined) return undefined;
  const key = /Unrecognized keys?: "([^"]+)"/.exec(fault)?.[1];
  const operation = /operation (\d+)/.exec(fault)?.[1];
  const path = [...pointer.split('/').filter(Boolean), ...(operation === undefined ? [] : [operation])];
  const offset = nearestOffset(document, key === undefined ? path : [...path, key]);
  return offset === undefined ? undefined : lineCounter.linePos(offset).line;
}

/** A missing value has the place of its parent. */
function nearestOffset(document: Document, path: readonly string[]): number | undefined {
  if (path.length === 0) return undefined;
  const node: unknown = document.getIn(path, true);
  return (isNode(node) ? node.range?.[0] : undefined) ?? nearestOffset(document, path.slice(0, -1));
}
