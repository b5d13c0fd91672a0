/** The largest world, and the size from which a world is passed by name: importers, sandboxes and traces agree on both. */

/** For a file of `samples/worlds/`, and for one cached world of a sandbox; bytes or characters of JSON. */
export const MAX_WORLD_BYTES = 16 * 1024 * 1024;

/** Smaller worlds are part of each call and each trace, because that costs less than names. */
export const LARGE_WORLD_CHARS = 64 * 1024;
