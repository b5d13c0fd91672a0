/** What every store of sessions must do: folders by id, with a journal of their own, found again by another process with all that is in them. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionStore } from '../../src/ports/run-store.ts';
import type { SessionBody } from '../../src/run/session-event.ts';

/** `another`: as another process has it. */
export type SessionStoreUnderTest = { sessions: SessionStore; another: () => SessionStore };

const started: SessionBody = {
  type: 'session.started',
  ...{ machineVersion: 1, agent: 'session', budgetUsd: 5, simulated: true },
};

export function sessionStoreContract(name: string, make: () => Promise<SessionStoreUnderTest>): void {
  describe(`session-store contract: ${name}`, () => {
    test('creates a session once, lists the newest first, finds one by the beginning of its name', async () => {
      const { sessions, another } = await make();
      expect(await sessions.list()).toEqual([]);
      const first = await sessions.create('20261120-a');
      await first.journal.append(started, 'user:ada', 0);
      const second = await sessions.create('20261121-b');
      await second.journal.append(started, 'user:ada', 0);
      await expect(sessions.create('20261120-a')).rejects.toMatchObject({ code: 'usage' });
      await expect(sessions.create('../x')).rejects.toMatchObject({ code: 'usage' });
      expect((await another().list()).map(({ id }) => id)).toEqual(['20261121-b', '20261120-a']);
      expect((await another().find('20261120'))?.id).toBe('20261120-a');
      expect(await another().find('nobody')).toBeUndefined();
      await expect(another().find('202611')).rejects.toMatchObject({ code: 'not_found' });
    });

    test('an event is appended once, whoever appends, and in its own shape', async () => {
      const { sessions, another } = await make();
      const folder = await sessions.create('s');
      const event = await folder.journal.append(started, 'user:ada', 0);
      const found = await another().find('s');
      expect(await found?.journal.read()).toEqual([event]);
      await expect(found?.journal.append(started, 'user:ada', 0)).rejects.toMatchObject({ code: 'journal_conflict' });
      const wrong = { ...started, budgetUsd: -1 };
      await expect(folder.journal.append(wrong, 'user:ada', 1)).rejects.toMatchObject({ code: 'event_refused' });
    });

    test('files of the workspace go along with what is remembered of a turn, and with events', async () => {
      const { sessions, another } = await make();
      const folder = await sessions.create('s');
      await folder.journal.append(started, 'user:ada', 0);
      const attempt = await folder.artifacts.begin('turn.1', 'turns/1', []);
      await mkdir(join(folder.dir, 'workspace/sub'), { recursive: true });
      await writeFile(join(folder.dir, 'workspace/sub/note.md'), 'made by a tool');
      await writeFile(join(folder.dir, 'workspace/gone.md'), 'soon deleted');
      await attempt.remember('main.tool.1', { content: 'written' });

      const other = await another().find('s');
      if (other === undefined) throw new Error('no session');
      expect(await readFile(join(other.dir, 'workspace/sub/note.md'), 'utf8')).toBe('made by a tool');
      const again = await other.artifacts.begin('turn.1', 'turns/1', []);
      expect(await again.recall('main.tool.1')).toEqual({ content: 'written' });
      await expect(attempt.remember('main.tool.2', {})).rejects.toMatchObject({ code: 'attempt_lost' });
      await rm(join(other.dir, 'workspace/gone.md'));
      await rm(join(other.dir, 'workspace/sub'), { recursive: true });
      await other.journal.append({ type: 'session.cleared' }, 'user:bob', 1);

      const third = await another().find('s');
      expect(await third?.list('workspace')).toEqual([]);
    });
  });
}
