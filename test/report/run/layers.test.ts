/** Layer 4 in two: the sample and the subject, and one column for results that do not say which. */
import { expect, test } from 'vitest';
import { listFailedLayers, layerColumns, layersText, sumLayers } from '../../../src/report/run/layers.ts';

const OLD = { '1': 0, '2': 1, '3': 0, '4': 2 };
const NEW = { '1': 0, '2': 0, '3': 0, '4': 3, '4a': 1, '4b': 2 };

test('a failure of the sample and one of the subject are two causes', () => {
  expect(layersText(NEW)).toBe('layer 4a (samples) × 1, layer 4b (subject) × 2');
  expect(layerColumns([NEW]).map(({ key }) => key)).toEqual(['1', '2', '3', '4a', '4b']);
});

test('results that do not say which are counted once, under layer 4', () => {
  expect(layersText(OLD)).toBe('layer 2 (tools) × 1, layer 4 (samples and subject) × 2');
  expect(layerColumns([OLD]).map(({ key }) => key)).toEqual(['1', '2', '3', '4']);
});

test('a batch of both loses nothing', () => {
  const both = sumLayers([OLD, NEW]);
  expect(listFailedLayers(both).map(({ key, failed }) => [key, failed])).toEqual([
    ['2', 1],
    ['4a', 1],
    ['4b', 2],
    ['4', 2],
  ]);
});
