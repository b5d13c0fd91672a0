/** Proves the lamps components with changes to their files, their design or their sandbox. */
import { expect } from 'vitest';
import { verifyComponents } from '../../../src/evaluation/proof/verify-components.ts';
import type { Verification } from '../../../src/scenario/result.ts';
import type { Design } from '../../../src/scenario/design.ts';
import type { Sandbox } from '../../../src/ports/sandbox.ts';
import { lampsDesign, lampsFolder, trustedSandbox, turnOn } from '../lamps.ts';

export type Change = {
  files?: Record<string, unknown>;
  edits?: Record<string, (text: string) => string>;
  design?: Design;
  samplesWanted?: number;
  sandbox?: Sandbox;
  signal?: AbortSignal;
};

export async function verify(change: Change = {}): Promise<Verification> {
  return verifyComponents({
    dir: await lampsFolder(change.files, change.edits),
    design: change.design ?? lampsDesign(),
    samplesWanted: change.samplesWanted ?? 2,
    sandbox: change.sandbox ?? trustedSandbox(),
    signal: change.signal ?? new AbortController().signal,
  });
}

/** `layer code component sample` of each problem. */
export const linesOf = ({ problems }: Verification): string[] =>
  problems.map(({ layer, code, component, sample }) => [layer, code, component, sample ?? ''].join(' ').trim());

/** An edit that must change the text. */
export const replacing = (from: string | RegExp, to: string) => (text: string) => {
  const changed = text.replace(from, to);
  expect(changed, `"${from}" is not in the file`).not.toBe(text);
  return changed;
};
export const withSample = (id: string, sample: object) => ({ files: { [`samples/${id}.json`]: sample } });
export const turnOnWith = (more: object): Change => withSample('turn-on', { ...turnOn, ...more });
