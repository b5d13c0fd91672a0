import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseTrace, readNamedTrace, readTrace } from '../../../src/evaluation/trial/read-trace.ts';
import { scratch } from '../../support/scratch.ts';

const SAYS = '{"type":"says","step":1,"text":"Hm."}';

test('a line that is no line of a trace is named with its file, its number and what is wrong with it', () => {
  expect(parseTrace(`${SAYS}\n\n${SAYS}\n`, 'traces/a.1.jsonl')).toHaveLength(2);
  const message = (text: string) => {
    try {
      parseTrace(text, 'traces/a.1.jsonl');
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
    return 'nothing was wrong';
  };
  expect(message(`${SAYS}\n\n{"type":`)).toMatch(/^traces\/a\.1\.jsonl:3 is no line of a trace: .*JSON/);
  expect(message(`${SAYS}\n{"type":"says","step":"one","text":""}`)).toMatch(/^traces\/a\.1\.jsonl:2 .*\/step/);
});

test('a trace that is not there is undefined, and empty where results name it', async () => {
  const dir = await scratch();
  expect(await readTrace(dir, 'traces/a.1.jsonl')).toBeUndefined();
  expect(await readNamedTrace(dir, 'traces/a.1.jsonl')).toEqual([]);
});

test.each([['../secret.jsonl'], ['traces/../../secret.jsonl'], ['/etc/passwd'], ['traces/a.json']])(
  'results that name "%s" as a trace are refused before anything is read',
  async (path) => {
    const dir = await scratch();
    await mkdir(join(dir, 'in'));
    await writeFile(join(dir, 'secret.jsonl'), SAYS);
    await expect(readNamedTrace(join(dir, 'in'), path)).rejects.toMatchObject({
      code: 'data_corrupt',
      message: expect.stringContaining(`"${path}"`),
    });
  },
);
