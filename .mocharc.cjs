/** How every test file is run: `npx mocha test/host/NAME.test.ts` runs one, `npm test` runs all of them. */
process.env.TSX_TSCONFIG_PATH = `${__dirname}/test/tsconfig.json`;

module.exports = {
  // A host of a test lives for a second: the optimizing compiler would work half of that on SQLite's WebAssembly.
  'node-option': ['import=tsx', 'enable-source-maps', 'liftoff-only'],
  ignore: ['test/fixtures/**'],
  require: ['test/run/hooks.ts'],
  reporter: 'test/run/reporter.ts',
  timeout: 10_000,
  slow: 1_000,
  'forbid-only': true,
  retries: 0,
};
