/** The layers of failure by name and owner (S0.24); layer 4 in two, because only the sample is anybody's to repair. */
import type { LayerCounts, SampleResult } from '../../scenario/result.ts';

export type LayerKey = keyof LayerCounts;
export type LayerName = { key: LayerKey; name: string; owner: string };

export const LAYERS: readonly LayerName[] = [
  { key: '1', name: 'design', owner: 'Init, through HITL-1' },
  { key: '2', name: 'tools', owner: 'Execute' },
  { key: '3', name: 'checkers', owner: 'Execute' },
  { key: '4a', name: 'samples', owner: 'Execute' },
  { key: '4b', name: 'subject', owner: 'nobody, it is what is measured' },
];

/** Of older runs and of imported ones, which do not say which of both. */
const UNDIVIDED: LayerName = { key: '4', name: 'samples and subject', owner: 'Execute' };

export function layerOf({ layer, cause }: Pick<SampleResult, 'layer' | 'cause'>): LayerName | undefined {
  return [...LAYERS, UNDIVIDED].find(({ key }) => key === (cause ?? String(layer)));
}

/** The columns of a table of such counts: the undivided layer 4 where there is something in it, its parts where they are known. */
export function layerColumns(counts: readonly LayerCounts[]): readonly LayerName[] {
  if (counts.every((one) => failedIn(one, '4') === 0)) return LAYERS;
  const isDivided = counts.some((one) => one['4a'] !== undefined);
  return [...LAYERS.filter(({ key }) => isDivided || !key.startsWith('4')), UNDIVIDED];
}

/** `4` is what neither 4a nor 4b counts. */
export function failedIn(counts: LayerCounts, key: LayerKey): number {
  return key === '4' ? counts['4'] - (counts['4a'] ?? 0) - (counts['4b'] ?? 0) : (counts[key] ?? 0);
}

/** Those with failures, in their order. */
export function failedLayers(counts: LayerCounts): (LayerName & { failed: number })[] {
  return layerColumns([counts])
    .map((layer) => ({ ...layer, failed: failedIn(counts, layer.key) }))
    .filter(({ failed }) => failed > 0);
}

/** `layer 1 (design) × 2, layer 4b (subject) × 1`; empty when nothing failed. */
export function layersText(counts: LayerCounts): string {
  return failedLayers(counts)
    .map(({ key, name, failed }) => `layer ${key} (${name}) × ${failed}`)
    .join(', ');
}

export function sumLayers(all: readonly LayerCounts[]): LayerCounts {
  const sum = (key: LayerKey) => all.reduce((total, one) => total + (one[key] ?? 0), 0);
  return { '1': sum('1'), '2': sum('2'), '3': sum('3'), '4': sum('4'), '4a': sum('4a'), '4b': sum('4b') };
}
