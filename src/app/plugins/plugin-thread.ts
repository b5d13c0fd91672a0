/** A thread with one plugin of a project: it answers calls, several at a time, and can be terminated whatever its code does. */
import { parentPort, workerData } from 'node:worker_threads';
import { findPlugin, loadPlugins } from '../../config/load-plugins.ts';
import { describeError } from '../../errors.ts';
import type { PluginConversation } from '../../ports/plugins/plugins.ts';
import type { FromThread, ThreadSetup, ToThread } from './thread-messages.ts';

const { home, kind, name } = workerData as ThreadSetup;
const port = parentPort;
if (port === null) throw new Error('This file is started as a thread.');
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads know no origins
const postReply = (message: FromThread): void => port.postMessage(message);

// Standard output belongs to the command, which may write JSON there.
process.stdout.write = process.stderr.write.bind(process.stderr);
const plugins = loadPlugins(home);
// Each call reports why the plugins could not be loaded.
plugins.catch(() => undefined);
const running = new Map<number, AbortController>();
/** Conversations of a subject, keyed by the call that opened each. */
const talks = new Map<number, PluginConversation>();

async function answerCall(
  { id, what, args }: Extract<ToThread, { type: 'call' }>,
  signal: AbortSignal,
): Promise<unknown> {
  const found = await plugins;
  const [first, second] = args as [never, never];
  if (what === 'answer') {
    const talk = talks.get(first);
    if (talk === undefined) throw new Error('its thread was ended by another conversation, and this one with it');
    return talk.answer(second, signal);
  }
  if (what === 'close') {
    const talk = talks.get(first);
    talks.delete(first);
    return talk?.close?.();
  }
  if (kind === 'tools') return findPlugin(found, { kind, name }, '').run(first, signal);
  talks.set(id, await findPlugin(found, { kind, name }, '')(first, second));
  return id;
}

async function performCall(call: Extract<ToThread, { type: 'call' }>): Promise<void> {
  const { id } = call;
  const stopping = new AbortController();
  running.set(id, stopping);
  try {
    const value = await answerCall(call, stopping.signal);
    postReply({ type: 'answered', id, json: JSON.stringify(value) });
  } catch (error) {
    const fault = await plugins.then((found) => found.fault(kind, name, error)).catch((cause: unknown) => cause);
    postReply({ type: 'failed', id, message: describeError(fault) });
  } finally {
    running.delete(id);
  }
}

port.on('message', (message: ToThread) => {
  if (message.type === 'ping') postReply({ type: 'pong' });
  else if (message.type === 'abort') running.get(message.id)?.abort(new Error(message.reason));
  else void performCall(message);
});
