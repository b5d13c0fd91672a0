/** Imported first by each door of the library: an older Node is told what it lacks, before anything fails on it. */

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  const error = new Error(`This package needs Node 22.18 or newer, and this is ${process.versions.node}.`);
  // The lines of a stack would hide the sentence.
  error.stack = error.message;
  throw error;
}
