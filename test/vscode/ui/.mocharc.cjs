/** For tests that drive a real VS Code with a browser: they start servers, so each may take longer. */
const base = require('../../../.mocharc.cjs');

module.exports = {
  ...base,
  // Its hooks come first: they end what the others would find to be left.
  require: ['test/vscode/ui/hooks.ts', ...base.require],
  timeout: 120_000,
  slow: 30_000,
};
