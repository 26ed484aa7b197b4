/** What `npx mocha` and `npm run test:host` run: everything but the tests that need a VS Code. */
process.env.TSX_TSCONFIG_PATH = `${__dirname}/test/tsconfig.json`;

module.exports = {
  'node-option': ['import=tsx', 'enable-source-maps'],
  spec: ['test/**/*.test.{ts,tsx}'],
  ignore: ['test/vscode/**', 'test/fixtures/**'],
  require: ['test/run/hooks.ts'],
  reporter: 'test/run/reporter.ts',
  timeout: 10_000,
  slow: 1_000,
  'forbid-only': true,
  retries: 0,
};
