/** For tests that drive a real VS Code with a browser: they start servers, so each may take longer. */
const base = require('../../../.mocharc.cjs');

module.exports = {
  ...base,
  require: [...base.require, 'test/vscode/ui/hooks.ts'],
  timeout: 120_000,
  slow: 30_000,
};
