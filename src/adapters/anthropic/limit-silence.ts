/** Ends a response body that stops sending: the vendor's own timeout covers only the time before the headers. */

/**
 * The same response, whose body fails after `silenceMs` without a byte. Bytes are counted and not events, because a
 * model that thinks unseen sends nothing but pings, which the vendor keeps to itself.
 */
export function limitSilence(response: Response, silenceMs: number): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await readWithin(reader, silenceMs);
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readWithin(reader: Reader, silenceMs: number): ReturnType<Reader['read']> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no byte came for ${silenceMs} ms`)), silenceMs);
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (error) {
    // Frees the socket; that the body is broken is reported by the error itself.
    reader.cancel(error).catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
