/** The tests that drive a real VS Code with a browser. They start servers, so each may take longer. */
const base = require('../../../.mocharc.cjs');

module.exports = {
  ...base,
  spec: ['test/vscode/ui/**/*.test.ts'],
  ignore: [],
  timeout: 120_000,
  slow: 30_000,
};
