/** Describes which Messages API is called, and creates the vendor's client for it. */
import Anthropic from '@anthropic-ai/sdk';
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { WireExchange } from '../../ports/model.ts';
import { scrubSecrets } from './scrub.ts';

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
    throw new HarnessError(
      'config_invalid',
      'The address of the Messages API must be an http(s) URL without user and password; set ANTHROPIC_BASE_URL to one such as https://api.anthropic.com.',
    );
  }
  // The message must not contain the key, and the vendor's own error about a bad header would quote it.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new HarnessError(
      'config_invalid',
      'The API key is empty or holds blanks, line breaks or characters outside ASCII; set ANTHROPIC_API_KEY again.',
    );
  }
  if (!Number.isInteger(timeoutMs) || timeoutMs <= 0) {
    throw new HarnessError('config_invalid', `The model timeout must be a positive number of ms, not ${timeoutMs}.`);
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
