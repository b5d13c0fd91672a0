/** The layers of failure by name and owner (S0.24); layer 4 is split, because only the sample can be repaired. */
import type { LayerCounts, SampleResult } from '../../scenario/result.ts';

export type LayerKey = keyof LayerCounts;
export type LayerName = { key: LayerKey; name: string; owner: string };

export const LAYERS: readonly LayerName[] = [
  { key: '1', name: 'design', owner: 'Init, through HITL-1' },
  { key: '2', name: 'tools', owner: 'Execute' },
  { key: '3', name: 'checkers', owner: 'Execute' },
  { key: '4a', name: 'samples', owner: 'Execute' },
  { key: '4b', name: 'subject', owner: 'the agent under evaluation' },
];

/** Layer 4 of older and imported runs, which do not tell sample from subject. */
const UNDIVIDED_LAYER: LayerName = { key: '4', name: 'samples and subject', owner: 'Execute' };

export function findLayer({ layer, cause }: Pick<SampleResult, 'layer' | 'cause'>): LayerName | undefined {
  return [...LAYERS, UNDIVIDED_LAYER].find(({ key }) => key === (cause ?? String(layer)));
}

/** Returns for example `Cause: tools (layer 2), owned by Execute`; the subject is nobody's to repair. */
export function describeCauseLayer(layer: LayerName | undefined): string {
  if (layer === undefined) return 'Cause not found yet';
  const { key, name, owner } = layer;
  return key === '4b' ? `Cause: ${owner} (layer 4b)` : `Cause: ${name} (layer ${key}), owned by ${owner}`;
}

/** Returns the columns of a table: undivided layer 4 if it has counts, its parts where they are known. */
export function layerColumns(counts: readonly LayerCounts[]): readonly LayerName[] {
  if (counts.every((one) => countFailed(one, '4') === 0)) return LAYERS;
  const isDivided = counts.some((one) => one['4a'] !== undefined);
  return [...LAYERS.filter(({ key }) => isDivided || !key.startsWith('4')), UNDIVIDED_LAYER];
}

/** Counts the failures of a layer; `4` counts those in neither 4a nor 4b. */
export function countFailed(counts: LayerCounts, key: LayerKey): number {
  return key === '4' ? counts['4'] - (counts['4a'] ?? 0) - (counts['4b'] ?? 0) : (counts[key] ?? 0);
}

/** Lists the layers with failures, in layer order. */
export function listFailedLayers(counts: LayerCounts): (LayerName & { failed: number })[] {
  return layerColumns([counts])
    .map((layer) => ({ ...layer, failed: countFailed(counts, layer.key) }))
    .filter(({ failed }) => failed > 0);
}

/** Returns for example `layer 1 (design) × 2, layer 4b (subject) × 1`; empty when nothing failed. */
export function layersText(counts: LayerCounts): string {
  return listFailedLayers(counts)
    .map(({ key, name, failed }) => `layer ${key} (${name}) × ${failed}`)
    .join(', ');
}

export function sumLayers(all: readonly LayerCounts[]): LayerCounts {
  const sum = (key: LayerKey) => all.reduce((total, one) => total + (one[key] ?? 0), 0);
  return { '1': sum('1'), '2': sum('2'), '3': sum('3'), '4': sum('4'), '4a': sum('4a'), '4b': sum('4b') };
}
