import { expect, test } from 'vitest';
import { findDescriptor, buildFolderProof } from '../../../src/app/evaluation/evaluate-with.ts';
import { loadComponents } from '../../../src/evaluation/components/load-components.ts';
import type { OpenSandbox } from '../../../src/ports/sandbox.ts';
import { lampsFolder, trustedSandbox } from '../../evaluation/lamps.ts';

const { signal } = new AbortController();
const VERIFIED = { ok: true, problems: [], proofs: [], coverage: {} };

test('what the proof tells of a module is not asked of the sandbox; what it does not tell, and every call, is', async () => {
  const { components } = await loadComponents(await lampsFolder(), trustedSandbox(), signal);
  const proof = buildFolderProof(components, { asked: 'a', components: 'b', verification: VERIFIED });
  expect(Object.keys(proof.described).toSorted()).toEqual([
    'checkers/as-asked.mjs',
    'checkers/locked-untouched.mjs',
    'tools/read_lamp.mjs',
    'tools/switch_lamp.mjs',
  ]);
  const asked: string[] = [];
  const session: OpenSandbox = {
    call: async ({ module, name }) => {
      asked.push(`${module} ${name}`);
      return { ok: true, value: 'asked', args: [] };
    },
    askAll: async () => [],
    close: async () => undefined,
  };
  const told = findDescriptor(proof, session);
  const value = async (module: string, name: string) => told.call({ module, name, args: [], timeoutMs: 1000 }, signal);
  expect(await value('tools/read_lamp.mjs', 'tool')).toMatchObject({ ok: true, value: { name: 'read_lamp' } });
  expect(await value('checkers/as-asked.mjs', 'checker')).toMatchObject({ ok: true, value: { id: 'as-asked' } });
  expect(asked).toEqual([]);
  expect(await value('tools/read_lamp.mjs', 'run')).toMatchObject({ value: 'asked' });
  expect(await value('tools/new.mjs', 'tool')).toMatchObject({ value: 'asked' });
  expect(asked).toEqual(['tools/read_lamp.mjs run', 'tools/new.mjs tool']);
});
