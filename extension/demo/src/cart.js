const { priceOf } = require('./prices.js');

const bulkPieces = 10;
const bulkDiscount = 0.1;

/** What one line of the cart costs, in cents. */
function lineTotal({ name, pieces }) {
  const full = priceOf(name) * pieces;
  return pieces > bulkPieces ? Math.round(full * (1 - bulkDiscount)) : full;
}

/** What the whole cart costs, in cents. */
function cartTotal(lines) {
  return lines.reduce((sum, line) => sum + lineTotal(line), 0);
}

module.exports = { cartTotal, lineTotal };
