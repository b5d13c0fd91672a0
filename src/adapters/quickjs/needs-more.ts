/** Whether a component needs more than the language: then QuickJS is not the place for it. */

/** What node has and QuickJS has not, or does otherwise. A word in a comment counts too: that costs nothing but the place. */
const MORE: readonly RegExp[] = [
  /^\s*import\b(?!\s*type\b)[^\n]*/,
  /\bimport\s*[(.]/,
  /\bexport\b[^\n;]*\bfrom\s*['"]/,
  /\brequire\s*\(/,
  /\b(?:process|Intl|Temporal|performance|crypto|WebAssembly|navigator)\s*[.[]/,
  /\bBuffer\s*[.(]/,
  /\bfetch\s*\(/,
  /\bset(?:Timeout|Interval|Immediate)\s*\(/,
  /\.toLocale\w+\s*\(/,
  /\.localeCompare\s*\(/,
  /\bnew\s+(?:URL|URLSearchParams|TextEncoder|TextDecoder|Worker|AbortController|EventTarget|Event|Intl)\b/,
  /\b(?:atob|btoa)\s*\(/,
];

/** `12: setTimeout(`, or undefined when it is pure. */
export function needsMore(source: string): string | undefined {
  for (const [index, line] of source.split('\n').entries()) {
    const found = MORE.map((pattern) => pattern.exec(line)?.[0]).find((match) => match !== undefined);
    if (found !== undefined) return `${index + 1}: ${found.trim()}`;
  }
  return undefined;
}
