/** Which Messages API is spoken to, and the vendor's client for it. */
import Anthropic from '@anthropic-ai/sdk';
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Exchange } from '../../ports/model.ts';
import { scrub } from './scrub.ts';

export type EndpointOptions = {
  /** `https://api.anthropic.com`, or a simulator on loopback. */
  baseUrl: string;
  apiKey: string;
  /** How long the endpoint may stay silent, before its first byte or between two. */
  timeoutMs: number;
  /** How long one whole answer may take, however lively it is; absent: as long as it likes. */
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

/** The same client for one try, and what has passed through it; undefined while nothing was sent. */
export function overheard(
  client: Anthropic,
  options: EndpointOptions,
): { client: Anthropic; exchange: () => Exchange | undefined } {
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
    const scrubbed = scrub(text, options.apiKey);
    return scrubbed === text ? bytes : Buffer.from(scrubbed);
  };
  return {
    client: client.withOptions({ fetch: hearing }),
    exchange: () =>
      request === undefined
        ? undefined
        : {
            request: scrub(request, options.apiKey),
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
  // The key itself must not stand in the message, and the vendor's own complaint about a bad header would quote it.
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

/** Ends a response body that stops sending, or never stops: the vendor's own timeout covers only the time before the headers. */
type TimeLimits = Pick<EndpointOptions, 'timeoutMs' | 'wholeAnswerMs'>;

/**
 * The same response, whose body fails after so much silence, and when it takes too long in all: pings alone keep the first
 * limit away for ever. Bytes are counted and not events, because a model that thinks unseen sends nothing but pings, which the
 * vendor does not publish. `hear` sees each piece of the body.
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

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readWithin(reader: Reader, limitMs: number, late: string): ReturnType<Reader['read']> {
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(late)), limitMs);
  try {
    return await Promise.race([reader.read(), limit]);
  } catch (error) {
    // Frees the socket; that the body is broken is reported by the error itself.
    reader.cancel(error).catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
