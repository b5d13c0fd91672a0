/** The scripted summary, with the ids of the entries that it cites filled in from the request. */
import type { ParsedRequest } from './parse-request.ts';
import { inFields } from './summary-fields.ts';

const CITE = /\s*\{\{cite:([^}]+)\}\}/g;

/** In its tag, or bare when the request asks for JSON and nothing else. */
export function writeSummary(summary: Record<string, unknown>, sight: ParsedRequest, bare: boolean): string {
  const json = JSON.stringify(inFields(fillIn(summary, sight), sight.fields), null, 2);
  return bare ? json : `<compact_summary>\n${json}\n</compact_summary>`;
}

function fillIn(value: unknown, sight: ParsedRequest): unknown {
  if (typeof value === 'string') return value.replace(CITE, (_, what: string) => cite(what.trim(), sight));
  if (Array.isArray(value)) return value.map((item) => fillIn(item, sight));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, sight)]));
}

/** The newest line of a path counts; what is not visible cannot be cited. */
function cite(what: string, { ledger, task }: ParsedRequest): string {
  const id = what === 'task' ? task : ledger.findLast(({ path, id }) => path === what && id !== undefined)?.id;
  return id === undefined ? '' : ` [#${id}]`;
}
