/** Which request gets which fault: by chance, from a seed and the request itself, so that the same story goes wrong the same way. */
import { sha256 } from '../../../src/disk/sha256.ts';
import { ANSWER_FAULTS } from './answer-faults.ts';
import { BROKEN_FAULTS } from './broken-faults.ts';
import { ERROR_FAULTS } from './error-faults.ts';
import type { Fault } from './fault.ts';

export const FAULTS: Readonly<Record<string, Fault>> = { ...ERROR_FAULTS, ...BROKEN_FAULTS, ...ANSWER_FAULTS };

export const FAULT_KINDS: readonly string[] = Object.keys(FAULTS);

export type FaultRate = { kind: string; rate: number };

/** `cut:0.2`; without a rate, every request. Undefined for what is no such text. */
export function parseFaultRate(text: string): FaultRate | undefined {
  const [, kind = '', rate = '1'] = /^([a-z0-9_]+)(?::(\d*\.?\d+))?$/.exec(text) ?? [];
  const value = Number(rate);
  return Object.hasOwn(FAULTS, kind) && value > 0 && value <= 1 ? { kind, rate: value } : undefined;
}

/**
 * The kind for each request that comes, or undefined. The order in which different requests come decides nothing: a request
 * that is sent again draws again.
 */
export function createFaultChoice(rates: readonly FaultRate[], seed: number): (request: string) => string | undefined {
  const seen = new Map<string, number>();
  return (request) => {
    const digest = sha256(request);
    const nth = (seen.get(digest) ?? 0) + 1;
    seen.set(digest, nth);
    let drawn = Number.parseInt(sha256(`${seed} ${digest} ${nth}`).slice(0, 8), 16) / 2 ** 32;
    for (const { kind, rate } of rates) {
      if (drawn < rate) return kind;
      drawn -= rate;
    }
    return undefined;
  };
}
