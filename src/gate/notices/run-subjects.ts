/** Turns runs into subjects of notices: the due notices of each, and the file in its folder that lists deliveries. */
import { ReviewPack } from '../rules/review-pack.ts';
import { parseFile } from '../../disk/parse-file.ts';
import type { Clock, RunFolder, RunStore } from '../../ports/run-store.ts';
import type { IndexedRun } from '../../run-folder/run-index.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';
import type { NoticeSubject } from './collect-notices.ts';
import { dueNotices } from './due-notices.ts';
import { BOOK_OF_RUN, type BookLocation } from './notice-book.ts';

const FRESH_MS = 24 * 60 * 60 * 1000;

type RunSubjectDeps = { store: Pick<RunStore, 'at'>; clock: Clock; isInBatch: (dir: string) => boolean };

export function runSubject(found: IndexedRun, { store, clock, isInBatch }: RunSubjectDeps): NoticeSubject {
  const nowMs = clock.now().getTime();
  return {
    key: found.dir,
    mark: found.length,
    book: locateRunBook(found, store),
    isFresh: found.gate !== undefined || nowMs - Date.parse(found.at) < FRESH_MS,
    due: async () => {
      const run = store.at(found);
      const snapshot = await openSnapshot(run);
      const packs = new Map<string, ReviewPack>();
      for (const { round } of snapshot.state.designs) {
        const text = await run.read(`gates/HITL-1.r${round}/pack.json`);
        if (text === undefined) continue;
        packs.set(`HITL-1.r${round}`, parseFile(ReviewPack, text, `${found.dir}: gates/HITL-1.r${round}/pack.json`));
      }
      return dueNotices({ run, snapshot, packOf: (gate) => packs.get(gate), nowMs, inBatch: isInBatch(found.dir) });
    },
    sentBefore: () => listSentNotices(store.at(found)),
  };
}

/** Locates the notice book of a run without opening the run, because most runs have nothing due. */
export function locateRunBook(found: Parameters<RunStore['at']>[0], store: Pick<RunStore, 'at'>): BookLocation {
  const read = (path: string) => store.at(found).shared.read(path);
  const write = (path: string, text: string) => store.at(found).shared.write(path, text);
  return { files: { read, write }, path: BOOK_OF_RUN };
}

/** Lists the files that earlier versions wrote, one for each notice and kind of channel. */
async function listSentNotices(run: RunFolder): Promise<string[]> {
  const files = await run.list('out/notices');
  return files.map((path) => path.slice('out/notices/'.length, -'.json'.length));
}
