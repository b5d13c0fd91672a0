/** The images port: the bytes of images, each stored once under its own hash, in the folder of the transcripts that point to it (S3.10). */

export interface Images {
  /** Contract: takes base64; durable when resolved; the same bytes are stored once. */
  keep(data: string): Promise<{ sha256: string; bytes: number }>;
  /** Contract: base64; `data_corrupt` names the file when it is missing or its bytes have changed. */
  load(sha256: string): Promise<string>;
}
