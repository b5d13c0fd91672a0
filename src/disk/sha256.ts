/** The only digest in use: SHA-256 as 64 hexadecimal digits. */
import { hash } from 'node:crypto';

export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}

/** Keys are sorted by code unit, `undefined` members left out; no spaces. Throws TypeError for non-JSON values. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item: unknown) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) return canonicalObject(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} has no canonical JSON`);
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`a ${typeof value} has no canonical JSON`);
  return text;
}

function canonicalObject(value: object): string {
  const members: string[] = [];
  for (const key of Object.keys(value).toSorted()) {
    const member: unknown = (value as Record<string, unknown>)[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}
