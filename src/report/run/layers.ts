/** The four layers of failure by name and owner (S0.24). */
export type LayerKey = '1' | '2' | '3' | '4';

export const LAYERS: readonly { key: LayerKey; name: string; owner: string }[] = [
  { key: '1', name: 'design', owner: 'Init, through HITL-1' },
  { key: '2', name: 'tools', owner: 'Execute' },
  { key: '3', name: 'checkers', owner: 'Execute' },
  { key: '4', name: 'samples and subject', owner: 'Execute' },
];

/** `layer 1 (design) × 2, layer 3 (checkers) × 1`; empty when nothing failed. */
export function layersText(layers: Readonly<Record<LayerKey, number>>): string {
  return LAYERS.filter(({ key }) => layers[key] > 0)
    .map(({ key, name }) => `layer ${key} (${name}) × ${layers[key]}`)
    .join(', ');
}
