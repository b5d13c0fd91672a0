/** Restores the scenario of exported tasks: its description, its components and their design, byte for byte. */
import { Buffer } from 'node:buffer';
import { manifestDigest } from '../../disk/manifest.ts';
import { sha256 } from '../../disk/sha256.ts';
import type { ImportedFiles } from '../imported-files.ts';
import type { HarborOrigin } from './world-file.ts';

export const ORIGIN_AT = 'tests/origin.json';
export const WORLD_AT = 'tests/world';

export type HarborTasks = {
  scenario: string;
  digests: Pick<HarborOrigin, 'components' | 'design'>;
  /** The files of all tasks together, by path: `components/…`, `design/…`, `scenario/…`. */
  files: ReadonlyMap<string, string>;
};

/** There the offline model would write components and design. */
const PLACES = { components: 'simulation/files/i1/', design: 'simulation/files/r1/', scenario: '' };

export function importHarbor({ scenario, digests, files }: HarborTasks, name: string): ImportedFiles {
  const placed = [...files].flatMap(([path, content]) => {
    const [, folder = '', rest = ''] = /^(components|design|scenario)\/(.+)$/.exec(path) ?? [];
    if (!(folder in PLACES)) return [];
    const isNamed = path === 'scenario/scenario.yaml' && name !== scenario;
    // The name in the description must be that of the scenario's folder.
    const text = isNamed ? content.replace(/^name:.*$/m, `name: ${name}`) : content;
    return [{ path: `${PLACES[folder as keyof typeof PLACES]}${rest}`, content: text }];
  });
  return { files: placed, gaps: digestComponents(files) === digests.components ? [] : [PART] };
}

const PART = 'only some of the samples of the export are here, so the digest of the components is another one';

function digestComponents(files: HarborTasks['files']): string {
  const own = [...files].flatMap(([path, text]) =>
    path.startsWith('components/')
      ? [{ path: path.slice('components/'.length), sha256: sha256(text), bytes: Buffer.byteLength(text) }]
      : [],
  );
  return manifestDigest({ version: 1, files: own.toSorted((a, b) => (a.path < b.path ? -1 : 1)) });
}
