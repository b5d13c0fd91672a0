/** Describes which Messages API is called, and creates the vendor's client for it. */
import Anthropic, { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import { createConfigError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { WireExchange } from '../../ports/model.ts';
import { scrubSecrets } from './scrub.ts';
import { z } from 'zod';
import { parseJson } from '../../parse-json.ts';
import { judgeFailure } from './failure.ts';

export type EndpointOptions = {
  /** `https://api.anthropic.com`, or a simulator on loopback. */
  baseUrl: string;
  apiKey: string;
  /** The longest silence of the endpoint, before its first byte or between two. */
  timeoutMs: number;
  /** The longest time for one whole answer, even while bytes arrive; absent: no limit. */
  wholeAnswerMs?: number;
  /** Spans through the global tracer provider, if the process has one. Off unless set. */
  openTelemetry?: boolean;
};

/**
 * The vendor's client with everything switched off that we do ourselves (retries) or must not do (logs: at debug level
 * they hold whole prompts). The key is always passed, so the vendor never looks for another one in the environment.
 */
export function createClient(options: EndpointOptions): Anthropic {
  checkOptions(options);
  return new Anthropic({
    baseURL: options.baseUrl,
    apiKey: options.apiKey,
    webhookKey: null,
    timeout: options.timeoutMs,
    maxRetries: 0,
    logLevel: 'off',
    fetch: async (url, init) => limitTime(await fetch(url, init), options),
    ...(options.openTelemetry === true ? {} : { openTelemetry: false }),
  });
}

/** Creates the same client for one try, and returns what it exchanged; undefined while nothing was sent. */
export function createRecordingClient(
  client: Anthropic,
  options: EndpointOptions,
): { client: Anthropic; exchange: () => WireExchange | undefined } {
  let request: string | undefined;
  let status: number | undefined;
  const chunks: Uint8Array[] = [];
  const hearing: typeof fetch = async (url, init) => {
    request = typeof init?.body === 'string' ? init.body : '';
    const response = await fetch(url, init);
    status = response.status;
    return limitTime(response, options, (chunk) => chunks.push(chunk));
  };
  const clean = (bytes: Buffer): Uint8Array => {
    const text = bytes.toString();
    const scrubbed = scrubSecrets(text, options.apiKey);
    return scrubbed === text ? bytes : Buffer.from(scrubbed);
  };
  return {
    client: client.withOptions({ fetch: hearing }),
    exchange: () =>
      request === undefined
        ? undefined
        : {
            request: scrubSecrets(request, options.apiKey),
            ...omitUndefined({ status }),
            answer: clean(Buffer.concat(chunks)),
          },
  };
}

function checkOptions({ baseUrl, apiKey, timeoutMs }: EndpointOptions): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw createConfigError(
      'The address of the Messages API must be an http(s) URL without user and password; set ANTHROPIC_BASE_URL to one such as https://api.anthropic.com.',
    );
  }
  // The message must not contain the key, and the vendor's own error about a bad header would quote it.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw createConfigError(
      'The API key is empty or holds blanks, line breaks or characters outside ASCII; set ANTHROPIC_API_KEY again.',
    );
  }
  if (!Number.isInteger(timeoutMs) || timeoutMs <= 0) {
    throw createConfigError(`The model timeout must be a positive number of ms, not ${timeoutMs}.`);
  }
}

/** Limits for a response body that stops sending or never ends: the vendor's own timeout covers only the headers. */
type TimeLimits = Pick<EndpointOptions, 'timeoutMs' | 'wholeAnswerMs'>;

/**
 * Returns the same response with a body that fails after so much silence, or when it takes too long in all: pings alone
 * keep the first limit away for ever. Bytes are counted and not events, because the vendor does not publish the pings
 * of a model that thinks unseen. `hear` sees each piece of the body.
 */
function limitTime(
  response: Response,
  { timeoutMs: silenceMs, wholeAnswerMs: wholeMs = Number.POSITIVE_INFINITY }: TimeLimits,
  hear?: (chunk: Uint8Array) => void,
): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const endsAt = performance.now() + wholeMs;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const leftMs = endsAt - performance.now();
      const next = await (leftMs < silenceMs
        ? readWithin(reader, Math.max(0, leftMs), `the answer was not complete after ${wholeMs} ms`)
        : readWithin(reader, silenceMs, `no byte came for ${silenceMs} ms`));
      if (next.done) return controller.close();
      hear?.(next.value);
      controller.enqueue(next.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

async function readWithin(reader: BodyReader, limitMs: number, late: string): ReturnType<BodyReader['read']> {
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(late)), limitMs);
  try {
    return await Promise.race([reader.read(), limit]);
  } catch (error) {
    // Cancelling frees the socket; the error itself reports that the body is broken.
    reader.cancel(error).catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** `simulated` says that the answer came from the offline model, which marks every answer with this header. */
type EndpointProbe = {
  reachable: boolean;
  simulated: boolean;
  detail: string;
  /** The key is not known there. */
  refused?: true;
};

const ModelPage = z.object({ data: z.array(z.object({ id: z.string() })) });
const SIMULATOR_HEADER = 'tandem-simulator';
const LONGEST_ANSWER_MS = 10_000;

/** Contract: never rejects for what the endpoint does; an abort rejects with `signal.reason`. One request, no retry. */
export async function probeEndpoint(options: EndpointOptions, signal: AbortSignal): Promise<EndpointProbe> {
  signal.throwIfAborted();
  const client = createClient({ ...options, timeoutMs: Math.min(options.timeoutMs, LONGEST_ANSWER_MS) });
  try {
    const response = await client.get('/v1/models', { query: { limit: 1 }, signal }).asResponse();
    const body = await response.text();
    signal.throwIfAborted();
    if (body.trimStart().startsWith('<'))
      return { reachable: false, simulated: false, detail: `${options.baseUrl} answers with a web page.` };
    const isModels = ModelPage.safeParse(parseJson(body)).success;
    const detail = isModels ? 'answers as a Messages API' : 'answers, but not as a Messages API: check the address';
    return { reachable: true, simulated: isModels && response.headers.has(SIMULATOR_HEADER), detail };
  } catch (error) {
    signal.throwIfAborted();
    const { error: failure } = judgeFailure(error, options, Date.now());
    if (!(error instanceof APIError) || error instanceof APIConnectionError) {
      return { reachable: false, simulated: false, detail: failure.message };
    }
    // 502 to 504 with a page in the place of an error of the API: a gateway answers, and nobody behind it.
    const isGateway = error.status >= 502 && error.status <= 504 && error.type === null;
    if (isGateway) return { reachable: false, simulated: false, detail: failure.message };
    const simulated = error.headers?.has(SIMULATOR_HEADER) === true;
    const refused = error.status === 401 ? { refused: true as const } : {};
    return { reachable: true, simulated, detail: failure.message, ...refused };
  }
}
