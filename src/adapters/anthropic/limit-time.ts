/** Ends a response body that stops sending, or never stops: the vendor's own timeout covers only the time before the headers. */

export type TimeLimits = {
  silenceMs: number;
  /** For the whole body: pings alone keep the other limit away for ever. */
  wholeMs: number;
};

/**
 * The same response, whose body fails after so much silence, and when it takes too long in all. Bytes are counted and not
 * events, because a model that thinks unseen sends nothing but pings, which the vendor keeps to itself.
 */
export function limitTime(response: Response, { silenceMs, wholeMs }: TimeLimits): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const endsAt = performance.now() + wholeMs;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const leftMs = endsAt - performance.now();
      const next = await (leftMs < silenceMs
        ? readWithin(reader, Math.max(0, leftMs), `the answer was not complete after ${wholeMs} ms`)
        : readWithin(reader, silenceMs, `no byte came for ${silenceMs} ms`));
      if (next.done) controller.close();
      else controller.enqueue(next.value);
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
