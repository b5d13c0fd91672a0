/** Runs plugins in separate threads, so that code in an endless loop can be terminated, and delays nothing else. */
import { Worker } from 'node:worker_threads';
import type { Home } from '../../config/home.ts';
import { findPlugin, loadPlugins } from '../../config/load-plugins.ts';
import { HarnessError, describeError } from '../../errors.ts';
import { ownFile } from '../../own-file.ts';
import { callWithin, type Plugins, type TandemConfig } from '../../ports/plugins/plugins.ts';
import type { FromThread, ThreadedKind, ThreadSetup, ToThread } from './thread-messages.ts';

/** A thread that is silent for so many milliseconds after an abort counts as looping. */
const SILENT_MS = 2_000;

type PendingCall = { resolve: (value: unknown) => void; reject: (error: Error) => void };

export type PluginThread = {
  /** Contract: rejects with the signal's reason at once; a plugin that continues regardless is given `SILENT_MS`. */
  call: (
    what: Extract<ToThread, { type: 'call' }>['what'],
    args: readonly unknown[],
    signal: AbortSignal,
  ) => Promise<unknown>;
};

/** Keyed by project, kind and name. */
const threads = new Map<string, PluginThread>();

function getThread(setup: ThreadSetup, plugins: Plugins): PluginThread {
  const key = [setup.home.project, setup.kind, setup.name].join(' ');
  const thread = threads.get(key) ?? openThread(setup, plugins.file ?? '');
  threads.set(key, thread);
  return thread;
}

// oxlint-disable-next-line max-lines-per-function -- one thread and who waits for it; its parts are named closures over it
function openThread(setup: ThreadSetup, file: string): PluginThread {
  const shown = `${setup.kind}.${setup.name}`;
  const waiting = new Map<number, PendingCall>();
  /** Aborted calls that the thread has not answered yet. */
  const owed = new Set<number>();
  let calls = 0;
  let worker: Worker | undefined;
  let heard = 0;

  const over = (ended: Worker, why: string): void => {
    if (worker !== ended) return;
    worker = undefined;
    for (const { reject } of waiting.values())
      reject(new HarnessError('config_invalid', `${file}: the plugin ${shown} ${why}`));
    waiting.clear();
    owed.clear();
  };
  const begun = (): Worker => {
    if (worker !== undefined) return worker;
    const started = new Worker(ownFile('app/plugins/plugin-thread'), { workerData: setup });
    started.on('message', (message: FromThread) => {
      heard += 1;
      if (message.type === 'pong') return;
      const call = waiting.get(message.id);
      owed.delete(message.id);
      waiting.delete(message.id);
      if (message.type === 'failed') call?.reject(new HarnessError('config_invalid', message.message));
      else call?.resolve(message.json === undefined ? undefined : JSON.parse(message.json));
    });
    started.on('error', (error) => over(started, `failed: ${describeError(error)}`));
    started.on('exit', () => over(started, 'ended its thread.'));
    worker = started;
    return started;
  };
  // Threads know no origins.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  const send = (thread: Worker, message: ToThread): void => thread.postMessage(message);
  /** Checks until the call is answered, because the plugin may start to loop later. */
  const endIfSilent = (current: Worker, id: number): void => {
    const before = heard;
    send(current, { type: 'ping' });
    setTimeout(() => {
      if (worker !== current || !owed.has(id)) return;
      if (heard !== before) return endIfSilent(current, id);
      over(current, 'did not give control back: its code loops. Its thread was ended.');
      void current.terminate();
    }, SILENT_MS).unref();
  };

  return {
    call: async (what, args, signal) => {
      signal.throwIfAborted();
      const id = ++calls;
      const thread = begun();
      const answered = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
      const stop = (): void => {
        send(thread, { type: 'abort', id, reason: describeError(signal.reason) });
        owed.add(id);
        endIfSilent(thread, id);
      };
      thread.ref();
      send(thread, { type: 'call', id, what, args });
      signal.addEventListener('abort', stop, { once: true });
      // A caller that stopped waiting must not get a later error as an unhandled rejection.
      answered.catch(() => undefined);
      return callWithin(signal, () => answered).finally(() => {
        signal.removeEventListener('abort', stop);
        // A plugin never prevents a command from ending.
        waiting.delete(id);
        if (waiting.size === 0) thread.unref();
      });
    },
  };
}

type PluginCode<Kind extends ThreadedKind> = NonNullable<TandemConfig[Kind]>[string];

export type ThreadedCode<Kind extends ThreadedKind> = { code: PluginCode<Kind>; fault: (error: unknown) => Error };

/** Returns a plugin by name, with calls that go to its thread. Contract: `config_invalid` with the nearest name for an unknown one. */
export async function threadedPlugin<Kind extends ThreadedKind>(
  home: Home,
  { kind, name }: { kind: Kind; name: string },
  where: string,
): Promise<ThreadedCode<Kind>> {
  const plugins = await loadPlugins(home);
  const found = findPlugin(plugins, { kind, name }, where);
  const thread = getThread({ home, kind, name }, plugins);
  const proxies: { [One in ThreadedKind]: (code: PluginCode<One>) => PluginCode<One> } = {
    tools: (tool) => ({ ...tool, run: (input, signal) => thread.call('call', [input], signal) }),
    subjects: () => async (start, options) => {
      const talk = await thread.call('call', [start, options], AbortSignal.timeout(OPEN_MS));
      return {
        answer: (input, signal) => thread.call('answer', [talk, input], signal) as never,
        close: () => thread.call('close', [talk], AbortSignal.timeout(CLOSE_MS)),
      };
    },
  };
  const proxy = proxies[kind] as unknown as (code: PluginCode<Kind>) => PluginCode<Kind>;
  return { code: proxy(found), fault: (error) => plugins.fault(kind, name, error) };
}

const OPEN_MS = 60_000;
const CLOSE_MS = 5_000;
