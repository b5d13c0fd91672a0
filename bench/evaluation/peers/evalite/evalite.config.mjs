// Evalite in the settings that cost it least: nothing kept in a database (whose native module is made for one Node), no table.
import { createInMemoryStorage } from 'evalite/in-memory-storage';

export default {
  storage: createInMemoryStorage,
  hideTable: true,
  maxConcurrency: Number(process.env.CONCURRENCY),
  testTimeout: 60_000,
};
