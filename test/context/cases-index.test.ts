/** Every case of docs/internals/compaction-cases.md has a test that is named by its id; none is left out. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The core makes no calls: what only a call can show stands with the agent. */
const WITH_THE_AGENT: Readonly<Record<string, string>> = {
  T21: 'the tools of a request are the agent’s',
  T26: 'how a failed call is told is the agent’s',
};

/** Titles begin with the ids of their cases. */
const titlesIn = (files: readonly string[]) =>
  files
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/['`]([TY]\d+[^'`\n]*:)/g)].map(([, title]) => title))
    .join('\n');

test('T1 - T36 and Y1 - Y12', () => {
  const cases = readdirSync('test/context').filter(
    (name) => name.startsWith('cases-') && name !== 'cases-index.test.ts',
  );
  const here = titlesIn(cases.map((name) => `test/context/${name}`));
  const agent = titlesIn(['test/agent/compaction/compact.test.ts']);
  const ids = [
    ...Array.from({ length: 36 }, (_, n) => `T${n + 1}`),
    ...Array.from({ length: 12 }, (_, n) => `Y${n + 1}`),
  ];
  const cited = (text: string, id: string) => {
    const ranges = [...text.matchAll(/Y(\d+) - Y(\d+)/g)].some(
      ([, from, to]) => id.startsWith('Y') && Number(id.slice(1)) >= Number(from) && Number(id.slice(1)) <= Number(to),
    );
    return ranges || new RegExp(`\\b${id}\\b`).test(text);
  };
  expect(ids.filter((id) => !cited(id in WITH_THE_AGENT ? agent : here, id))).toEqual([]);
});
