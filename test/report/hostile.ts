/** Texts that a model, a sample or a reviewer could write to break a report out of its place. */
import * as fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';

const ESC = '\u001b';

export const HOSTILE: readonly string[] = [
  '<script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  `' onmouseover='alert(1)`,
  '" style="position:fixed" x="',
  '</style><script>alert(1)</script>',
  '</title><h1>owned</h1>',
  '<!--',
  '--><b>out</b>',
  ']]><failure/>',
  '&lt;script&gt;&#x3c;b&#x3e;',
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>&x;',
  'javascript:alert(1)',
  '[click](javascript:alert(1))',
  '![pixel](https://evil.example/p.png)',
  '<https://evil.example>',
  'https://evil.example and www.evil.example',
  '# heading\n\n---\n\n- item\n\n| a | b |\n| --- | --- |',
  '```\n</details>\n# out of the fence\n```',
  '` `` ``` ```` `````',
  'a\\|b | c \\\\| d',
  '**bold** _em_ ~~gone~~ $x^2$ `code`',
  '@octocat #123 GH-4 me@evil.example',
  '</details></summary>',
  '\\<b\\> \\` \\[x\\]',
  `${ESC}[2J${ESC}[H${ESC}[31mred${ESC}[0m`,
  `${ESC}]0;title\u0007 ${ESC}]8;;https://evil.example\u0007link${ESC}]8;;\u0007`,
  `${ESC}]52;c;cm0gLXJm\u0007 ${ESC}P+q544e${ESC}\\ ${ESC}c`,
  '\u009b31m c1 \u009d0;t\u009c',
  'carriage\rreturn, back\b\b\bspace, bell\u0007, nul\u0000, del\u007f',
  'bidi \u202egnp.exe\u202c \u2066isolate\u2069 \u200fmark',
  'zero\u200bwidth \ufeffbom \u2060join \u00adshy',
  'tags \u{e0041}\u{e0042}\u{e007f}',
  'line\u2028separator\u2029here',
  'lone \ud83d high and low \udc4d',
  'z\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030a\u030b\u030c',
  '中文寬字 ｆｕｌｌ 한국어 👍🏽 👨‍👩‍👧 🇨🇭 ❤️',
  '\ufffe\uffff nonchar \u{10ffff}',
  "'; rm -rf / #`$(id)`",
  '__proto__',
  ' ',
  'x'.repeat(5000),
];

/** One of the texts above, a random one, or both together. */
export const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc
    .tuple(fc.string({ unit: anyCharacter, maxLength: 12 }), fc.constantFrom(...HOSTILE))
    .map((parts) => parts.join('')),
);

/** Words with which the renderers decide what to show: changing them would change the structure itself. */
const STRUCTURE = new Set([
  'status',
  'outcome',
  'decision',
  'kind',
  'reason',
  'checker',
  'gate',
  'decidedBy',
  'round',
  'op',
]);

/** The same data with every free text, and every key of a free record, in hostile hands. */
export function infected<Data>(data: Data, text: (index: number) => string): Data {
  let index = 0;
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return STRUCTURE.has(key) || value === '' ? value : text(index++);
    if (Array.isArray(value)) return value.map((item) => walk(item, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, name)]));
  };
  return walk(data, '') as Data;
}

/** Names of tags and attributes in order: what hostile text must not be able to change. */
export function skeleton(markup: string): string[] {
  return [...markup.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replace(/"[^"]*"/g, '""'));
}
