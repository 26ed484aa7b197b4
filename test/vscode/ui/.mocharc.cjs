/** For tests that drive a real VS Code with a browser: they start servers, so each may take longer. */
module.exports = { ...require('../../../.mocharc.cjs'), timeout: 120_000, slow: 30_000 };
