/** Sends calls of models, notices and telemetry through the proxy in `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
import type { Env } from '../config/store.ts';
import { describeError, usageError } from '../errors.ts';

/** Addresses on this machine, such as the offline model or a gateway, are never reached through a proxy. */
const LOOPBACK = 'localhost,127.0.0.1,::1,[::1]';

/** Contract: `usage` for a proxy that cannot be used; does nothing when none is set. */
export async function useProxy(env: Env): Promise<void> {
  const valueOf = (name: string) => (env[name.toLowerCase()]?.trim() || env[name]?.trim()) ?? '';
  const [https, http, none] = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].map(valueOf);
  if (https === '' && http === '') return;
  const { setGlobalProxyFromEnv } = await import('node:http');
  if (typeof setGlobalProxyFromEnv !== 'function')
    throw usageError(`HTTPS_PROXY needs Node 24.14 or newer, and this is ${process.versions.node}.`);
  const settings = { HTTPS_PROXY: https, HTTP_PROXY: http, NO_PROXY: [none, LOOPBACK].filter(Boolean).join(',') };
  try {
    setGlobalProxyFromEnv(settings);
  } catch (error) {
    throw usageError(`HTTPS_PROXY or HTTP_PROXY is no address of a proxy: ${describeError(error)}.`);
  }
}
