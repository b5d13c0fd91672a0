/** How large a world may be, and from which size on it is not carried along but named: one place for all who must agree. */

/** A file of `samples/worlds/`, and what a sandbox keeps of one world, in bytes or characters of JSON. */
export const MAX_WORLD_BYTES = 16 * 1024 * 1024;

/** Smaller worlds travel with each call and stand whole in each trace: that costs less than to name them. */
export const LARGE_WORLD_CHARS = 64 * 1024;
