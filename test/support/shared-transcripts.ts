/** The recorded sessions of other harnesses as they lie beside the checkout, never in it. */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Optional: without this folder the tests that need it are skipped, and say so. */
const FOLDER = '../shared/data/transcripts';

export const SESSIONS = ['claude-code-a', 'claude-code-b', 'pi-a'] as const;

/** False is said loudly, for then the tests that need them are skipped. */
export const hasSessions: boolean = existsSync(FOLDER);
if (!hasSessions) console.warn(`SKIPPED: no recorded sessions in ${FOLDER}; the tests that replay them did not run.`);

export function sessionText(name: (typeof SESSIONS)[number]): string {
  return gunzipSync(readFileSync(`${FOLDER}/${name}.jsonl.gz`)).toString('utf8');
}
