import { defineConfig } from 'evalite/config';
export default defineConfig({ maxConcurrency: 50, hideTable: true });
